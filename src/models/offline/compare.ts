import type { Desk, Finding } from './desk.ts'
import type { WholeFile } from './locate.ts'
import { lineCount, readWhole } from './locate.ts'
import { fileInfoOf } from './results.ts'
import type { Intent } from './task.ts'
import type { Section } from './wording.ts'
import { plural } from './wording.ts'

export function compareSection(desk: Desk, intent: Extract<Intent, { readonly kind: 'compare' }>): Section {
  // Both are asked for before either is looked at: they are read side by side.
  const left = readWhole(desk, intent.left)
  const right = readWhole(desk, intent.right)
  const infos = [left, right].map((file) =>
    'state' in file || file.size !== undefined ? undefined : desk.ask('info', { path: file.path }),
  )
  if ([left, right, ...infos].some((one) => one !== undefined && 'state' in one && one.state === 'waiting')) return undefined
  const problems = [left, right].flatMap((file) => ('state' in file && file.state === 'problem' ? [file.problem] : []))
  if ('state' in left || 'state' in right) return problems.join('\n')
  const { common, onlyLeft, onlyRight, firstDifference } = differences(left.lines, right.lines)
  const partial = left.partial || right.partial
  const caution = partial
    ? ' not all could be read, the counts are for what was.'
    : left.cutLines || right.cutLines
      ? ' long lines were cut, what is beyond is not compared.'
      : ''
  const equal = caution !== '' ? 'what I could read of them is equal' : 'they are equal line by line'
  return [
    `Comparison of ${left.path} and ${right.path} (${left.toolName}):${caution}`,
    `- ${left.path}: ${lineCount(left)}${bytesOf(left, infos[0])}`,
    `- ${right.path}: ${lineCount(right)}${bytesOf(right, infos[1])}`,
    `- lines in common (equal text, in any order): ${common}`,
    `- lines only in ${left.path}: ${onlyLeft}`,
    `- lines only in ${right.path}: ${onlyRight}`,
    firstDifference === undefined ? `- ${equal}` : `- first line that differs: ${firstDifference}`,
  ].join('\n')
}

/** '' when no tool tells the size. */
function bytesOf(file: WholeFile, info: Finding | undefined): string {
  const size = file.size ?? (info?.state === 'ready' ? fileInfoOf(info.output).size : undefined)
  return size === undefined ? '' : `, ${plural(size, 'byte')}`
}

interface Differences {
  readonly common: number
  readonly onlyLeft: number
  readonly onlyRight: number
  readonly firstDifference: number | undefined
}

/** Lines as a multiset: a line that stands twice here and once there is once in common. */
function differences(left: readonly string[], right: readonly string[]): Differences {
  const counts = new Map<string, number>()
  for (const line of left) counts.set(line, (counts.get(line) ?? 0) + 1)
  let common = 0
  for (const line of right) {
    const count = counts.get(line) ?? 0
    if (count === 0) continue
    counts.set(line, count - 1)
    common++
  }
  let same = 0
  while (same < left.length && left[same] === right[same]) same++
  const firstDifference = same === left.length && same === right.length ? undefined : same + 1
  return { common, onlyLeft: left.length - common, onlyRight: right.length - common, firstDifference }
}
