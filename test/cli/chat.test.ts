import { expect, test } from 'vitest'
import { chatCommand } from '../../src/cli/chat/chat-command.ts'
import type { ChatFlags } from '../../src/cli/chat/settings.ts'
import type { Key } from '../../src/cli/screen/keys.ts'
import { type Script, scripted } from '../../src/testing/index.ts'
import { type FakeOptions, type FakeTerminal, fakeTerminal } from './fake-terminal.ts'
import { newFolder } from './folders.ts'

interface Chat {
  readonly terminal: FakeTerminal
  /** Resolves with the exit code. */
  readonly ended: Promise<number>
  press(name: string): void
  /** Types a line and says it. */
  say(text: string): void
  /** Resolves once this has been written since the last wait. */
  shows(text: string): Promise<void>
}

/** A chat on a screen that a test can read, with a keyboard that it can press. */
function open(script: Script, flags: ChatFlags, home: string, cwd: string, options: FakeOptions = {}): Chat {
  let onKey: (key: Key) => void = () => {}
  const env = { RONDO_HOME: home }
  const fake = fakeTerminal({ outIsTTY: true, errIsTTY: true, columns: 100, env, cwd, ...options })
  const keyboard = {
    listen(listener: (key: Key) => void) {
      onKey = listener
      return () => {}
    },
  }
  let from = 0
  return {
    terminal: fake,
    ended: chatCommand([], flags, Object.assign(fake, { keyboard }), scripted(script)),
    press: (name) => onKey({ kind: 'key', name }),
    say(text) {
      onKey({ kind: 'paste', text })
      onKey({ kind: 'key', name: 'enter' })
    },
    async shows(text) {
      await expect.poll(() => fake.out.slice(from), { timeout: 10_000, interval: 10 }).toContain(text)
      from = fake.out.length
    },
  }
}

async function byLines(
  input: string | undefined,
  script: Script,
  flags: ChatFlags,
  home: string,
  cwd: string,
): Promise<FakeTerminal & { code: number }> {
  const terminal = fakeTerminal({ env: { RONDO_HOME: home }, cwd, ...(input === undefined ? {} : { input }) })
  return Object.assign(terminal, { code: await chatCommand([], flags, terminal, scripted(script)) })
}

const write = (path: string) => ({ calls: [{ name: 'write_file', input: { path, content: 'x\n' } }] })

test('/resume goes on with a session of a sandbox in a sandbox: its tools do not all at once mean the disk', async () => {
  const [home, cwd] = [newFolder(), newFolder()]
  await byLines('begin', ['Begun.'], { session: 'boxed', sandbox: true }, home, cwd)
  const { say, shows, press, ended, terminal } = open(['Hello.', write('a.txt'), 'Written.'], { session: 'free' }, home, cwd)
  await shows('is new')
  say('hello')
  await shows('completed')
  say('/resume boxed')
  await shows('it ended with')
  expect(terminal.out).toContain('The session began in a sandbox and goes on in a new one')
  say('write a.txt')
  await shows('completed')
  press('ctrl-d')
  expect(await ended).toBe(0)
  expect(terminal.out).toContain('Changed in the sandbox, not on the disk: 1 file.')
})

test('a session goes on in the folder where it began, and in no other', async () => {
  const [home, here, there] = [newFolder(), newFolder(), newFolder()]
  await byLines('begin', ['Begun.'], { session: 'other' }, home, there)
  const inChat = open([], {}, home, here)
  await inChat.shows('›')
  inChat.say('/resume')
  await inChat.shows('There is no other session of this folder.')
  inChat.say('/resume other')
  await inChat.shows(`Session other works in ${there}`)
  inChat.press('ctrl-d')
  await inChat.ended
  const resumed = open([], { resume: 'other' }, home, here)
  await resumed.shows(`In ${there}`)
  resumed.press('ctrl-d')
  expect(await resumed.ended).toBe(0)
})

test('a command of the chat that can not be done is no run that failed', async () => {
  const { say, shows, press, ended } = open(['Hello.'], { session: 's' }, newFolder(), newFolder())
  await shows('is new')
  say('hello')
  await shows('completed')
  say('/resume nobody')
  await shows('There is no session nobody')
  say('/tools hammer')
  await shows('There is no tool hammer')
  press('ctrl-d')
  expect(await ended).toBe(0)
})

test('by lines: each is said when the answer to the one before is there; the first run that does not complete ends it', async () => {
  const { code, out, err } = await byLines('one\n\ntwo\nthree\n', ['First.', write('a.txt')], { session: 's' }, newFolder(), newFolder())
  expect([code, out]).toEqual([4, 'First.\n'])
  expect(err).toContain('The run is not over')
})

test('by lines: without a word there is nothing to say, and it says what to do', async () => {
  await expect(byLines(undefined, [], {}, newFolder(), newFolder())).rejects.toThrow('give what to say as words')
})

test('SIGTERM ends the chat: 130, and a second one does not wait for what is under way', async () => {
  const { say, shows, ended, terminal } = open(['Well.'], { session: 's' }, newFolder(), newFolder())
  await shows('is new')
  say('hello')
  await shows('> hello')
  terminal.interrupt('SIGTERM')
  terminal.interrupt('SIGTERM')
  expect(terminal.exits).toEqual([])
  terminal.pass(250)
  terminal.interrupt('SIGTERM')
  expect(terminal.exits).toEqual([130])
  expect(await ended).toBe(130)
})

test('by lines: commands are commands there too, and end nothing', async () => {
  const { code, out } = await byLines('/status\n/fly\n//said\n/quit\nnever', ['Heard.'], { session: 's' }, newFolder(), newFolder())
  expect(code).toBe(0)
  expect(out).toContain('session  s')
  expect(out).toContain('There is no command /fly.')
  expect(out).toContain('Heard.')
})
