import { join } from 'node:path'
import { errorCode, fileSystemProblem, problem } from '../problem.ts'
import type { Walker } from '../resolve.ts'
import { namesAhead, notFound } from '../resolve.ts'
import type { Folder } from '../root.ts'
import { memberPath, readFolder } from '../root.ts'
import { checkNew, checkWritable } from './names.ts'
import type { Writer } from './writer.ts'

/** Names that are looked at for one that differs only in its Unicode form. */
const namesCompared = 5_000
/** How often a folder may come and go meanwhile. */
const mostTries = 3

/** The folders on the way to a file that are not there yet. */
export class NewFolders {
  /** Their paths below the root, outermost first. */
  readonly paths: string[] = []
  /** The name of the file, where the folders before it were only named. */
  fileName: string | undefined
  private readonly made: { readonly parent: Folder; readonly name: string }[] = []
  private readonly writer: Writer
  private readonly mode: 'make' | 'look'

  constructor(writer: Writer, mode: 'make' | 'look') {
    this.writer = writer
    this.mode = mode
  }

  get deepest(): string | undefined {
    return this.paths.at(-1)
  }

  /** `name` is not there. Everything that may be wrong with the rest of the path is said before the first folder is made. */
  async add(walker: Walker, parent: Folder, name: string, cause: unknown): Promise<'made' | 'end'> {
    const ahead = namesAhead(walker)
    // As for the system, `a/..` leads nowhere without `a`. Only links can hold it.
    if (ahead.includes('..')) throw await notFound(walker, parent, name, cause)
    for (const one of [name, ...ahead]) {
      checkWritable(one)
      checkNew(one)
    }
    await this.checkForm(parent, name)
    if (ahead.length === 0) return 'end'
    const { newFolders } = this.writer.limits
    if (this.paths.length + ahead.length > newFolders)
      throw problem(`'${walker.asked}' needs more than ${newFolders} new folders, the limit. Use a path with fewer.`)
    if (this.mode === 'make') {
      await this.make(walker, parent, name)
      return 'made'
    }
    const names = [name, ...ahead]
    this.fileName = names.pop()
    for (const at of names.keys()) this.paths.push(memberPath(parent, names.slice(0, at + 1).join('/')))
    return 'end'
  }

  /** Removes those that were made, as far as nothing was put in them. */
  async remove(walker: Walker): Promise<void> {
    for (const { parent, name } of this.made.splice(0).reverse()) {
      // The descriptor of a folder that is closed may be another one's by now.
      if (!walker.folders.includes(parent)) continue
      const { disk, root } = this.writer
      const removed = root.layer === undefined ? disk.removeFolder(join(parent.reach, name)) : root.layer.removeFolder(parent, name)
      await removed.catch(() => {})
    }
  }

  private async make(walker: Walker, parent: Folder, name: string): Promise<void> {
    const { disk, root } = this.writer
    const path = memberPath(parent, name)
    // Made once, and gone again.
    if (this.paths.includes(path) && ++walker.tries > mostTries) throw fileSystemProblem({ code: 'ESTALE' }, path)
    try {
      await (root.layer === undefined ? disk.makeFolder(join(parent.reach, name)) : root.layer.makeFolder(parent, name))
    } catch (error) {
      // Another one was faster: what it is is looked at again.
      if (errorCode(error) === 'EEXIST' && ++walker.tries <= mostTries) return
      throw error
    }
    this.made.push({ parent, name })
    if (!this.paths.includes(path)) this.paths.push(path)
    if (root.layer === undefined) await disk.syncFolder(parent).catch(() => {})
  }

  /** A name that is there in another Unicode form (`é` as one character or two) is the one that is meant; beside it nobody could tell them apart. */
  private async checkForm(parent: Folder, name: string): Promise<void> {
    const form = name.normalize('NFC')
    if (/^\p{ASCII}*$/u.test(name)) return
    const { entries } = await readFolder(this.writer.root, parent, namesCompared, new AbortController().signal)
    const twin = entries.find((entry) => entry.name.normalize('NFC') === form)
    if (twin !== undefined)
      throw problem(
        `'${memberPath(parent, twin.name)}' is there already, its name in another Unicode form than in the path. Use the name as it is there: ` +
          `${JSON.stringify(twin.name).replace(/[^\p{ASCII}]/gu, escaped)}.`,
      )
  }
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')
}
