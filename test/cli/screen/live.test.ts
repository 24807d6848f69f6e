import { expect, test } from 'vitest'
import { LiveScreen } from '../../../src/cli/screen/live.ts'
import { type Emulator, emulator } from '../../terminal/emulator.ts'

interface Setup {
  readonly live: LiveScreen
  readonly terminal: Emulator
  /** The screen once all that was written is on it. */
  shown(): Promise<string>
}

function setup(columns: number, rows: number): Setup {
  const terminal = emulator(columns, rows, () => {})
  let written: Promise<void> = Promise.resolve()
  const live = new LiveScreen({
    isTTY: true,
    color: false,
    get columns() {
      return terminal.columns
    },
    get rows() {
      return terminal.rows
    },
    write(text) {
      // A terminal in raw mode still makes a new line of a line feed.
      written = terminal.write(text.replaceAll('\n', '\r\n'))
    },
  })
  const shown = async () => {
    await written
    return terminal.screen().trimEnd()
  }
  return { live, terminal, shown }
}

test('what is printed stays above; the live part is drawn once, below it', async () => {
  const { live, shown } = setup(40, 10)
  live.show('prompt', { lines: ['› dra'], cursor: { row: 0, column: 5 } })
  live.print('one\n')
  live.show('status', { lines: ['thinking …'] })
  live.print('two\n')
  live.show('status')
  live.print('three\n')
  expect(await shown()).toBe('one\ntwo\nthree\n› dra')
})

test('a line that is not finished stands in the live part until it is', async () => {
  const { live, terminal, shown } = setup(40, 10)
  live.print('half ')
  live.show('status', { lines: ['*'] })
  expect(await shown()).toBe('half\n*')
  live.print('whole\n')
  live.close()
  await shown()
  expect(terminal.scrollback().trimEnd()).toBe('half whole')
})

test('of a live part that is taller than the window the rows around the cursor are there', async () => {
  const { live, terminal, shown } = setup(40, 5)
  const lines = Array.from({ length: 12 }, (_, index) => `line ${index}`)
  for (const row of [0, 1, 6, 11]) {
    live.show('prompt', { lines, cursor: { row, column: 2 } })
    expect(await shown()).toContain(`line ${row}`)
    expect((await shown()).split('\n')[terminal.cursor().row]).toBe(`line ${row}`)
  }
})

test('wide characters at the right edge, styles and all: no line takes two rows', async () => {
  const { live, shown } = setup(21, 10)
  for (let drawn = 0; drawn < 5; drawn++) live.show('prompt', { lines: [`日本${'語'.repeat(20)}`, `${'x'.repeat(19)}👍🏽`, String(drawn)] })
  expect((await shown()).split('\n')).toHaveLength(3)
})

test.each([
  [60, 30],
  [30, 60],
  [80, 21],
])('a window of %d columns becomes one of %d: nothing is left of what was drawn before', async (before, after) => {
  const { live, terminal, shown } = setup(before, 12)
  live.print('said\n')
  const part = () => ({ lines: ['', '› '.padEnd(live.width, 'x'), 'below'], cursor: { row: 1, column: 4 } })
  live.show('prompt', part())
  await shown()
  terminal.resize(after, 12)
  live.redraw()
  live.show('prompt', part())
  await shown()
  expect(terminal.scrollback().match(/›/g)).toHaveLength(1)
  expect(terminal.scrollback().match(/below/g)).toHaveLength(1)
})

test('closed: the cursor is seen again, below what was printed', async () => {
  const { live, terminal, shown } = setup(40, 10)
  live.print('one\n')
  live.show('status', { lines: ['thinking …'] })
  await shown()
  expect(terminal.state().isCursorHidden).toBe(true)
  live.close()
  expect(await shown()).toBe('one')
  expect([terminal.state().isCursorHidden, terminal.cursor()]).toEqual([false, { column: 0, row: 1 }])
})

test('what costs a piece does not depend on what was printed', () => {
  const written: number[] = []
  const live = new LiveScreen({ isTTY: true, color: false, columns: 80, rows: 24, write: (text) => written.push(text.length) })
  live.show('prompt', { lines: ['› '], cursor: { row: 0, column: 2 } })
  for (let line = 0; line < 10_000; line++) live.print('a line\n')
  expect(Math.max(...written.slice(-100))).toBeLessThan(100)
})
