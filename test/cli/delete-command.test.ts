import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { rondo } from '../../src/cli/program.ts'
import { sqlite } from '../../src/stores/sqlite.ts'
import { fakeTerminal } from './fake-terminal.ts'
import { newFolder } from './folders.ts'
import { entriesIn, keptSession } from './transfer.ts'

async function run(home: string, ...args: readonly string[]) {
  const terminal = fakeTerminal({ columns: 80, env: { RONDO_HOME: home } })
  const code = await rondo(args, '1.2.3', terminal)
  return { code, out: terminal.out, err: terminal.err }
}

describe('rondo delete', () => {
  test('deletes nothing without --yes, and says what would be gone', async () => {
    const home = await keptSession([['custom', { type: 'x' }]], { head: { status: 'idle', pending: 0 } })
    expect(await run(home, 'delete', 'notes')).toEqual({
      code: 2,
      out: '',
      err: `rondo: Session notes (1 entry, idle, changed 2026-11-28 12:00:00) is there still: nothing brings it back once it is deleted. To keep a copy and delete it:
  rondo export notes FILE
  rondo delete --yes notes
`,
    })
    expect((await entriesIn(home)).length).toBe(1)
  })

  test('with --yes it deletes that session and no other', async () => {
    const home = await keptSession([['custom', { type: 'x' }]])
    await keptSession([['custom', { type: 'x' }]], { home, session: 'other' })
    expect(await run(home, 'delete', 'notes', '--yes')).toEqual({ code: 0, out: 'Session notes is deleted (1 entry).\n', err: '' })
    expect([await entriesIn(home), (await entriesIn(home, 'other')).length]).toEqual([[], 1])
    expect((await run(home, 'delete', 'other', '--yes', '--json')).out).toBe('{"sessionId":"other","entries":1}\n')
  })

  test('not one that a process works on, nor one that is not there', async () => {
    const home = await keptSession([['custom', { type: 'x' }]])
    const store = sqlite(join(home, 'sessions.db'))
    await store.acquire('notes', { owner: 'o', ttlMs: 600_000 })
    await store.close()
    expect(await run(home, 'delete', 'notes', '--yes')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^rondo: Another process is at work on session notes: nothing was deleted\./),
    })
    expect((await entriesIn(home)).length).toBe(1)
    expect((await run(home, 'delete', 'none', '--yes')).err).toMatch(/^rondo: There is no session none\. The newest in /)
    const empty = newFolder()
    expect((await run(empty, 'delete', 'none', '--yes')).code).toBe(2)
    expect(existsSync(join(empty, 'sessions.db'))).toBe(false)
  })
})
