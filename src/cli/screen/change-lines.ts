import { structuredPatch } from 'diff'
import type { PlannedChange } from '../../tools/index.ts'
import type { Output } from '../terminal.ts'
import { count, oneLine, pieced, plain, spelledOut, styled } from '../text.ts'

type Screen = Pick<Output, 'color' | 'columns'>

const context = 3
/** Finding the smallest difference of two large texts that share little takes long; after this time (ms) one stands for the other as a whole. */
const diffMs = 500
/** Bytes of a file that are compared. */
const maxComparedLength = 2_000_000

/** What a call would do to a file, as a diff: for who must approve it, so what can't be seen is spelled out. */
export function changeLines(change: PlannedChange, screen: Screen): readonly string[] {
  switch (change.kind) {
    case 'create':
      return [title(`new file ${shownPath(change)}`, screen), ...folders(change.newFolders, screen), ...whole(change.after, '+', screen)]
    case 'change':
      return [title(shownPath(change), screen), ...changed(change, screen)]
    case 'none':
      return [title(`${shownPath(change)} stays as it is`, screen)]
    case 'refused':
      return [styled(`It would fail: ${oneLine(change.message)}`, 'yellow', screen)]
  }
}

function shownPath({ path, realPath }: { readonly path: string; readonly realPath: string }): string {
  const named = spelledOut(oneLine(path))
  return path === realPath ? named : `${named} → ${spelledOut(oneLine(realPath))}`
}

function title(text: string, screen: Screen): string {
  return styled(text, 'bold', screen)
}

function folders(paths: readonly string[], screen: Screen): readonly string[] {
  return paths.map((path) => styled(`new folder ${spelledOut(oneLine(path))}`, 'dim', screen))
}

function changed(change: Extract<PlannedChange, { kind: 'change' }>, screen: Screen): readonly string[] {
  const { before, after, sizeBefore } = change
  if (before === null)
    return [
      styled(`It replaces a file of ${count(sizeBefore, 'byte')} that can't be shown (no text, or too large) by:`, 'yellow', screen),
      ...whole(after, '+', screen),
    ]
  const patch =
    before.length + after.length > maxComparedLength
      ? undefined
      : structuredPatch('', '', before, after, '', '', { context, timeout: diffMs })
  if (patch === undefined) return [...whole(before, '-', screen), ...whole(after, '+', screen)]
  if (patch.hunks.length === 0) return ['(only what no line shows)']
  return patch.hunks.flatMap(({ oldStart, newStart, lines }) => {
    let [from, to] = [oldStart, newStart]
    const place = styled(`@@ line ${oldStart === 0 ? newStart : oldStart}`, 'dim', screen)
    return [
      place,
      ...lines.map((line) => {
        const sign = line[0] ?? ' '
        if (sign === '\\') return styled('        (no newline at the end)', 'dim', screen)
        const number = sign === '+' ? to : from
        if (sign !== '-') to++
        if (sign !== '+') from++
        return numbered(number, sign, line.slice(1), screen)
      }),
    ]
  })
}

function whole(text: string, sign: '+' | '-', screen: Screen): readonly string[] {
  if (text === '') return [styled('        (empty)', 'dim', screen)]
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  else
    return [
      ...lines.map((line, index) => numbered(index + 1, sign, line, screen)),
      styled('        (no newline at the end)', 'dim', screen),
    ]
  return lines.map((line, index) => numbered(index + 1, sign, line, screen))
}

const numberColumns = 6
const styles = { '+': 'green', '-': 'red' } as const

/** A long line goes on further in: none of its rows begins where one of ours does. */
function numbered(number: number, sign: string, line: string, screen: Screen): string {
  const room = Math.max(16, (screen.columns ?? 80) - numberColumns - 4)
  const pieces = pieced(spelledOut(plain(line.replaceAll('\r', '␍').replaceAll('\t', '  '))), room)
  const style = sign === '+' || sign === '-' ? styles[sign] : undefined
  return pieces
    .map((piece, index) => {
      const at = index === 0 ? styled(String(number).padStart(numberColumns), 'dim', screen) : ' '.repeat(numberColumns)
      const text = `${index === 0 ? sign : ' '} ${piece}`
      return `${at} ${style === undefined ? text : styled(text, style, screen)}`.trimEnd()
    })
    .join('\n')
}
