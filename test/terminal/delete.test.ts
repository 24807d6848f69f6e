// `rondo delete` as somebody sees it who sits before it.
import { expect, test } from 'vitest'
import { entriesIn, keptSession } from '../cli/transfer.ts'
import { openTerminal } from './open-terminal.ts'
import { describeInTerminal } from './pty.ts'

const question = 'Nothing brings it back. [y/N]'

async function openDelete() {
  const home = await keptSession([['custom', { type: 'x' }]])
  const terminal = await openTerminal({ columns: 120, args: ['delete', 'notes'], env: { RONDO_HOME: home } })
  await terminal.waitFor(question)
  return { terminal, home }
}

describeInTerminal('rondo delete', () => {
  test('asks; what is typed is seen once, and y with Enter deletes', async () => {
    const { terminal, home } = await openDelete()
    terminal.type('y')
    terminal.press('enter')
    expect(await terminal.exit()).toEqual({ code: 0, signal: undefined })
    expect(await entriesIn(home)).toEqual([])
    expect(terminal.screen()).toContain(`${question} y\nSession notes is deleted (1 entry).`)
  })

  test('Ctrl-C at the question leaves the session', async () => {
    const { terminal, home } = await openDelete()
    terminal.press('ctrl-c')
    expect(await terminal.exit()).toEqual({ code: 130, signal: undefined })
    expect(terminal.screen()).toContain('Session notes is there still.')
    expect((await entriesIn(home)).length).toBe(1)
  })

  test('a window that is closed leaves it too', async () => {
    const { terminal, home } = await openDelete()
    terminal.closeWindow()
    expect((await terminal.exit()).code).not.toBe(0)
    expect((await entriesIn(home)).length).toBe(1)
  })
})
