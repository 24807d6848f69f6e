import type { Sandbox, SandboxChange } from '../tools/index.ts'
import { changeLines } from './screen/change-lines.ts'
import type { Output } from './terminal.ts'
import { count, oneLine, styled } from './text.ts'

type Screen = Pick<Output, 'color' | 'columns'>

/** Changes that are named. */
const named = 20

const signs = { created: '+', changed: '~', deleted: '-' } as const

/** What a sandbox holds that is not on the disk, a path a line; empty without a sandbox and for one that holds nothing. */
export async function sandboxLines(sandbox: Sandbox | undefined, screen: Screen): Promise<string> {
  if (sandbox === undefined) return ''
  const { changes, truncated } = await sandbox.changes()
  if (changes.length === 0) return ''
  const head = `Changed in the sandbox, not on the disk: ${count(changes.length, 'file')}${truncated ? ' or more' : ''}.`
  const lines = changes.slice(0, named).map(({ kind, path }) => `  ${signs[kind]} ${oneLine(path)}`)
  const more = changes.length > named ? [`  and ${changes.length - named} more`] : []
  return [styled(head, 'yellow', screen), ...lines, ...more].map((line) => `${line}\n`).join('')
}

/** The same as diffs. */
export async function sandboxDiff(sandbox: Sandbox, screen: Screen): Promise<string> {
  const { changes } = await sandbox.changes()
  return changes
    .flatMap((change) => [...diff(change, screen), ''])
    .map((line) => `${line}\n`)
    .join('')
}

function diff(change: SandboxChange, screen: Screen): readonly string[] {
  const { path } = change
  if (change.kind === 'deleted') return [styled(`${oneLine(path)} is deleted`, 'bold', screen)]
  const { after } = change
  if (after.type === 'link' || after.text === null)
    return [styled(`${oneLine(path)} is ${change.kind}: ${after.type}, ${count(after.size, 'byte')}`, 'bold', screen)]
  const bound = { path, content: after.text }
  if (change.kind === 'created')
    return changeLines({ kind: 'create', path, realPath: path, newFolders: [], after: after.text, bound }, screen)
  const { before } = change
  return changeLines(
    { kind: 'change', path, realPath: path, before: before.text, sizeBefore: before.size, after: after.text, bound },
    screen,
  )
}
