import { expect, test } from 'vitest'
import { ApprovalDesk, type Asking, type DeskOptions } from '../../src/cli/approval-desk.ts'
import type { Key } from '../../src/cli/screen/keys.ts'
import { LiveScreen } from '../../src/cli/screen/live.ts'
import { type Decision, RondoError } from '../../src/index.ts'
import { type FakeTerminal, fakeTerminal } from './fake-terminal.ts'

const call = (callId: string, input: unknown = { command: 'ls' }): Asking =>
  ({ kind: 'approval', callId, toolName: 'shell', input, rememberAs: 'ls' }) as Asking

interface Setup {
  readonly terminal: FakeTerminal
  readonly desk: ApprovalDesk
  readonly decisions: Decision[]
  /** Keys that were not for the desk. */
  readonly others: Key[]
  type(text: string): void
  press(name: string): void
  /** Until a question can have been read. */
  read(): Promise<void>
}

function setup(options: Partial<DeskOptions> = {}, columns = 80): Setup {
  const terminal = fakeTerminal({ outIsTTY: true, errIsTTY: true, columns })
  const decisions: Decision[] = []
  const others: Key[] = []
  const desk = new ApprovalDesk(terminal, new LiveScreen(terminal.stdout), {
    planned: () => Promise.resolve(undefined),
    by: 'ann',
    decide: (decision) => {
      decisions.push(decision)
      return Promise.resolve()
    },
    ...options,
  })
  const key = (pressed: Key) => {
    if (!desk.key(pressed)) others.push(pressed)
  }
  return {
    terminal,
    desk,
    decisions,
    others,
    type: (text) => {
      for (const letter of text) key({ kind: 'text', text: letter })
    },
    press: (name) => key({ kind: 'key', name }),
    read: async () => {
      await new Promise((resolve) => setImmediate(resolve))
      terminal.pass(1_000)
    },
  }
}

test('y approves what was asked, once: the next keys are not for it', async () => {
  const { desk, decisions, others, type, read } = setup()
  desk.ask(call('m1.0'))
  await read()
  type('yyn')
  expect(decisions).toEqual([{ callId: 'm1.0', decision: 'approve', by: 'ann' }])
  expect(others).toHaveLength(2)
})

test('a change of a file runs as it was shown: the decision is bound to it', async () => {
  const bound = { path: 'a.txt', content: 'b\n' }
  const planned = { kind: 'create', path: 'a.txt', realPath: 'a.txt', newFolders: [], after: 'b\n', bound } as const
  const { desk, decisions, type, read } = setup({ planned: () => Promise.resolve(planned) })
  desk.ask(call('m1.0', { path: 'a.txt', content: 'b\n' }))
  await read()
  type('y')
  expect(decisions).toEqual([{ callId: 'm1.0', decision: 'approve', by: 'ann', input: bound }])
})

test('a key that comes before a question can have been read answers nothing, nor does one of who goes on typing', async () => {
  const { terminal, desk, decisions, others, type } = setup()
  desk.ask(call('m1.0'))
  type('y')
  await new Promise((resolve) => setImmediate(resolve))
  terminal.pass(299)
  type('y')
  terminal.pass(699)
  type('y')
  expect([decisions, others.length]).toEqual([[], 3])
  terminal.pass(700)
  type('y')
  expect(decisions).toHaveLength(1)
})

test('keys of a message that is being written answer nothing, however slow', async () => {
  let isWriting = true
  const { terminal, desk, decisions, others, type, read } = setup({ isWriting: () => isWriting })
  desk.ask(call('m1.0'))
  await read()
  type('y')
  expect([decisions, others.length]).toEqual([[], 1])
  expect(terminal.out).toContain('Finish your message first')
  isWriting = false
  await read()
  type('y')
  expect(decisions).toHaveLength(1)
})

test('what is asked is shown whole, however long', async () => {
  const { terminal, desk, read } = setup()
  desk.ask(call('m1.0', { command: `${'x'.repeat(20_000)} the-end` }))
  await read()
  expect(terminal.out).toContain('the-end')
})

test('a call that needs no answer any more while one is written: the rest of it is for nobody', async () => {
  const { terminal, desk, decisions, others, type, press, read } = setup()
  desk.ask(call('m1.0'))
  await read()
  type('nnot th')
  desk.settled('m1.0')
  desk.ask(call('m1.1'))
  await new Promise((resolve) => setImmediate(resolve))
  terminal.pass(400)
  type('at')
  press('enter')
  expect([decisions, others]).toEqual([[], []])
  expect(terminal.out).toContain('what you have begun to write is dropped')
  await read()
  type('y')
  expect(decisions).toEqual([{ callId: 'm1.1', decision: 'approve', by: 'ann' }])
})

test('edited arguments are shown before they can be approved; no key comes between', async () => {
  const plans: (() => void)[] = []
  const { desk, decisions, type, press, read } = setup({ planned: () => new Promise((resolve) => plans.push(() => resolve(undefined))) })
  desk.ask(call('m1.0'))
  plans.shift()?.()
  await read()
  type('e')
  press('home')
  press('ctrl-k')
  for (let line = 0; line < 2; line++) press('up')
  press('ctrl-u')
  for (let line = 0; line < 6; line++) press('ctrl-k')
  type('{"command":"pwd"}')
  press('enter')
  type('y')
  press('enter')
  expect([decisions, plans.length]).toEqual([[], 1])
  plans.shift()?.()
  await read()
  type('y')
  expect(decisions).toEqual([{ callId: 'm1.0', decision: 'approve', by: 'ann', input: { command: 'pwd' } }])
})

test('an answer that is refused is told, and the question stands again', async () => {
  let refusals = 1
  const decisions: Decision[] = []
  const { terminal, desk, type, read } = setup({
    decide: (decision) => {
      decisions.push(decision)
      return refusals-- > 0 ? Promise.reject(new RondoError('SessionMigrationFailed', 'Not now.')) : Promise.resolve()
    },
  })
  desk.ask(call('m1.0'))
  await read()
  type('y')
  await read()
  expect(terminal.out).toMatch(/Not now\.[\s\S]*Approve\? y yes/)
  type('y')
  expect(decisions).toHaveLength(2)
})

test('calls are asked about one after another', async () => {
  const { terminal, desk, decisions, type, read } = setup()
  for (const callId of ['m1.0', 'm1.1']) desk.ask(call(callId))
  await read()
  expect(terminal.out).not.toContain('m1.1')
  type('y')
  desk.settled('m1.0')
  await read()
  type('y')
  expect(decisions.map(({ callId }) => callId)).toEqual(['m1.0', 'm1.1'])
})

test('in a narrow window a reason that quotes the call begins no row, and what holds for the session is seen whole', async () => {
  const { terminal, desk, read } = setup({}, 30)
  desk.ask({ ...call('m1.0'), reason: `no rule allows ${'x'.repeat(40)}`, rememberAs: `rm ${'y'.repeat(60)} end` })
  await read()
  expect(terminal.out).not.toMatch(/\n[xy]/)
  expect(terminal.out).not.toContain('…')
  expect(terminal.out).toMatch(/end in this\s+session/)
})

test('a change that would fail is not approved: what it would do by then nobody has seen', async () => {
  const refused = { kind: 'refused', message: 'There is no such text.' } as const
  const { terminal, desk, decisions, type, read, press } = setup({ planned: () => Promise.resolve(refused) })
  desk.ask(call('m1.0'))
  await read()
  expect(terminal.screen).toContain('Approve? n no · e edit')
  type('ya')
  expect(decisions).toEqual([])
  type('n')
  press('enter')
  expect(decisions).toEqual([{ callId: 'm1.0', decision: 'deny', by: 'ann' }])
})
