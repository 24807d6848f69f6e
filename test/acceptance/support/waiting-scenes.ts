import { type ModelRequest, tool } from 'rondo'
import { z } from 'zod'
import type { Scene } from './modes.ts'
import { sleep } from './scenes.ts'

const bill = z.object({ cents: z.number(), to: z.string() })
const pay = tool({
  name: 'pay',
  description: 'Pays.',
  inputSchema: bill,
  needsApproval: () => ({ risk: 'high', reason: 'it costs money' }),
  execute: ({ cents, to }, call) => `paid ${cents} to ${to}, as ${call.approvedBy} said`,
})

const approval = { callId: 'm1.0', decision: 'approve', by: 'ann' } as const
const denial = { callId: 'm1.0', decision: 'deny', reason: 'Too much.', by: 'ann' } as const

/** What the model makes of the outcome of its last call. */
export function report({ messages }: ModelRequest): string {
  const outcomes = [...messages].flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'tool-call' ? [part.settlement?.outcome] : [])),
  )
  switch (outcomes.at(-1)) {
    case 'ok':
      return 'It is paid.'
    case 'denied':
      return 'It is not paid.'
    default:
      return 'I can not tell whether it is paid.'
  }
}

/** The golden traces in which a run waits for its user. */
export const waitingScenes = {
  approved: {
    input: 'Pay ACME',
    script: [{ calls: [{ name: 'pay', input: { cents: 4200, to: 'ACME' } }] }, report],
    tools: () => [pay],
    acts: [{ ms: 1_000, say: (session) => session.decide(approval) }],
    resume: { decisions: [approval] },
  },
  denied: {
    input: 'Pay ACME',
    script: [{ calls: [{ name: 'pay', input: { cents: 4200, to: 'ACME' } }] }, report],
    tools: () => [pay],
    acts: [{ ms: 1_000, say: (session) => session.decide(denial) }],
    resume: { decisions: [denial] },
  },
  resumed: {
    input: 'Sleep',
    script: [{ calls: [{ name: 'sleep', input: { ms: 2_000 } }] }, 'Slept.'],
    tools: (stage) => [sleep(stage)],
    acts: [
      { ms: 1_000, say: (session) => session.pause() },
      { ms: 3_000, say: (session) => session.resume() },
    ],
    resume: {},
  },
} as const satisfies { readonly [name: string]: Scene }
