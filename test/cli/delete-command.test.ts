import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { rondo } from '../../src/cli/program.ts'
import type { Key, Keyboard } from '../../src/cli/screen/keys.ts'
import { sqlite } from '../../src/stores/sqlite.ts'
import { type FakeTerminal, fakeTerminal } from './fake-terminal.ts'
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

describe('rondo delete on a terminal asks', () => {
  const question = 'Delete session notes (1 entry, idle, changed 2026-11-28 12:00:00)? Nothing brings it back. [y/N] '

  /** Runs the command, and does this once it asks. */
  async function asked(home: string, act: (press: (key: Key) => void, terminal: FakeTerminal) => void | Promise<void>, ...args: string[]) {
    let isHeld = false
    const keyboard: Keyboard = {
      listen(onKey) {
        isHeld = true
        setImmediate(() => void act(onKey, terminal))
        return () => {
          isHeld = false
        }
      },
    }
    const terminal = Object.assign(fakeTerminal({ columns: 80, env: { RONDO_HOME: home } }), { keyboard })
    const code = await rondo(['delete', 'notes', ...args], '1.2.3', terminal)
    expect(isHeld).toBe(false)
    return { code, out: terminal.out, err: terminal.err, kept: (await entriesIn(home)).length }
  }

  const idle = () => keptSession([['custom', { type: 'x' }]], { head: { status: 'idle', pending: 0 } })
  const typing = (text: string): readonly Key[] => [...text].map((letter) => ({ kind: 'text', text: letter }))
  const key = (name: string): Key => ({ kind: 'key', name })

  test.each([
    ['y', [...typing('y'), key('enter')], 'y'],
    ['Yes', [...typing('Yes'), key('enter')], 'Yes'],
    ['what is mended to y', [...typing('nö'), key('backspace'), key('backspace'), ...typing('y'), key('enter')], 'nö\b \b\b \by'],
  ])('%s deletes it', async (_name, keys, shown) => {
    expect(await asked(await idle(), (press) => keys.forEach(press))).toEqual({
      code: 0,
      out: 'Session notes is deleted (1 entry).\n',
      err: `${question}${shown}\n`,
      kept: 0,
    })
  })

  test.each<readonly [string, readonly Key[], number]>([
    ['Enter alone', [key('enter')], 2],
    ['n', [...typing('n'), key('enter')], 2],
    ['another word with a y', [...typing('yep'), key('enter')], 2],
    ['a yes that was pasted', [{ kind: 'paste', text: 'y\n' }, key('enter')], 2],
    ['a yes without Enter, and Escape', [...typing('y'), key('escape')], 2],
    ['Ctrl-D', [key('ctrl-d')], 2],
    ['Ctrl-C', [...typing('y'), key('ctrl-c')], 130],
  ])('%s leaves it', async (_name, keys, code) => {
    expect(await asked(await idle(), (press) => keys.forEach(press))).toMatchObject({
      code,
      out: '',
      err: expect.stringMatching(/\nSession notes is there still\.\n$/),
      kept: 1,
    })
  })

  test('a signal or a closed window at the question leaves it', async () => {
    expect(await asked(await idle(), (_, terminal) => terminal.interrupt('SIGHUP'))).toMatchObject({ code: 130, out: '', kept: 1 })
  })

  test('after Ctrl-Z and fg the question is there again', async () => {
    const keys = [...typing('y'), key('resumed'), key('enter')]
    expect(await asked(await idle(), (press) => keys.forEach(press))).toMatchObject({ code: 0, err: `${question}y${question}y\n` })
  })

  test('not what has changed since: somebody has agreed to lose less', async () => {
    const home = await idle()
    const kept = await asked(home, async (press) => {
      const store = sqlite(join(home, 'sessions.db'))
      await store.append('notes', [{ v: 1, id: 'late', seq: 2, kind: 'custom', data: { type: 'y' } }], { expectedSeq: 1 })
      await store.close()
      for (const each of [...typing('y'), key('enter')]) press(each)
    })
    expect(kept).toMatchObject({
      code: 2,
      err: expect.stringMatching(
        /rondo: Session notes has changed since the question: nothing was deleted\. Look at it, and try again\.\n$/,
      ),
      kept: 2,
    })
    expect((await run(home, 'delete', 'notes', '--yes')).code).toBe(0)
  })

  test('not with --yes or --json', async () => {
    const never = () => expect.unreachable('nobody was to be asked')
    expect(await asked(await idle(), never, '--json')).toMatchObject({ code: 2, kept: 1 })
    expect(await asked(await idle(), never, '--yes')).toMatchObject({ code: 0, kept: 0 })
  })
})
