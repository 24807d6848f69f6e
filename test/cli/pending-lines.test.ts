import { expect, test } from 'vitest'
import { waitingLines } from '../../src/cli/pending-lines.ts'
import type { Pending } from '../../src/index.ts'
import { fakeTerminal } from './fake-terminal.ts'

const call = { callId: 'm2.1', messageId: 'm2', dynamic: true, toolName: 'pay', input: { to: 'ann' } } as const

function firstLine(pending: Pick<Extract<Pending, { kind: 'result' }>, 'kind' | 'why'> | { kind: 'approval'; repeats?: string }): string {
  const terminal = fakeTerminal({ columns: 200 })
  return waitingLines({ ...call, ...pending } as Pending, { sessionId: 's' }, terminal, terminal.stdout).split('\n')[0] ?? ''
}

test.each([
  [{ kind: 'result', why: 'client' }, 'needs a result from outside'],
  [{ kind: 'result', why: 'ask-user' }, 'asks you'],
  [{ kind: 'result', why: 'unresolved' }, 'began, and its outcome was lost: what became of it?'],
  [{ kind: 'approval', repeats: 'm1.0' }, 'may have been done already, as m1.0'],
] as const)('who is asked about a call sees why: %o', (pending, text) => {
  expect(firstLine(pending)).toBe(`? pay m2.1 · ${text}`)
})
