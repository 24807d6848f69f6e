import { open } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { Input, UserPart } from '../index.ts'
import { CannotRun, type Terminal } from './terminal.ts'
import { oneLine } from './text.ts'

/** Bytes of a task, and of each file that goes with it. */
const maxBytes = 1_000_000
/** Bytes of a picture. */
const maxImageBytes = 10_000_000

const imageTypes: { readonly [ending: string]: string } = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
}

/** The task: the words, or what stands on standard input; with the files that go with it. Throws `CannotRun` for what can't be read. */
export async function taskInput(words: readonly string[], files: readonly string[] = [], terminal: Terminal): Promise<Input> {
  const { stdin } = terminal
  const isFile = files.includes('-')
  const fromStdin = !isFile && (words.length === 0 || (words.length === 1 && words[0] === '-'))
  const task = (fromStdin ? (stdin.isTTY ? '' : await stdin.read(maxBytes)) : words.join(' ')).trim()
  if (task === '') throw new CannotRun('There is no task. Say what to do: rondo run "find the largest files"')
  if (files.length === 0) return task
  if (files.filter((file) => file === '-').length > 1) throw new CannotRun('Standard input can be read once: give --file - once.')
  if (isFile && stdin.isTTY)
    throw new CannotRun('--file - reads standard input, and that is the keyboard here. Pipe something into it, or name a file.')
  const parts: UserPart[] = [{ type: 'text', text: task }]
  for (const file of files)
    parts.push(file === '-' ? textPart('standard input', await stdin.read(maxBytes)) : await filePart(file, terminal))
  return parts
}

async function filePart(file: string, { cwd }: Terminal): Promise<UserPart> {
  const mediaType = imageTypes[/\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? '']
  const bytes = await contentOf(resolve(cwd, file), file, mediaType === undefined ? maxBytes : maxImageBytes)
  if (mediaType !== undefined) return { type: 'image', data: bytes, mediaType, name: basename(file) }
  try {
    return textPart(file, new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new CannotRun(
      `${oneLine(file)} (--file) is no text in UTF-8, and no picture by its name (${Object.keys(imageTypes).join(', ')}).`,
    )
  }
}

async function contentOf(path: string, file: string, most: number): Promise<Uint8Array> {
  const name = `${oneLine(file)} (--file)`
  const handle = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw new CannotRun(error.code === 'ENOENT' ? `There is no file ${name}.` : `${name} can't be read: ${oneLine(error.message)}`)
  })
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw new CannotRun(`${name} is no file.`)
    if (stats.size > most)
      throw new CannotRun(`${name} has more than ${most.toLocaleString('en-US')} bytes: too much to say at once. Let the agent read it.`)
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

/** The name says where the text is from; a fence that is longer than any in it says where it ends. */
function textPart(name: string, text: string): UserPart {
  let longest = 2
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  const fence = '`'.repeat(longest + 1)
  return { type: 'text', text: `${oneLine(name)}:\n${fence}\n${text.replace(/\n?$/, '\n')}${fence}` }
}
