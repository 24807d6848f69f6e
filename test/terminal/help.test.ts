// The help as a screen shows it.
import { expect, test } from 'vitest'
import { expectGolden } from './golden.ts'
import { openTerminal } from './open-terminal.ts'
import { describeInTerminal } from './pty.ts'

describeInTerminal('the help', () => {
  for (const columns of [80, 200])
    test.each([
      ['help', ['--help']],
      ['help-run', ['run', '--help']],
    ])(`%s at ${columns} columns: no line is broken by the screen`, async (name, args) => {
      const terminal = await openTerminal({ columns, args })
      expect(await terminal.exit()).toEqual({ code: 0, signal: undefined })
      expect(terminal.lines()).toBe(terminal.scrollback())
      expectGolden(`${name}-${columns}`, terminal.lines())
    })
})
