import { type Tool, tool } from 'rondo'
import { z } from 'zod'
import { noInput } from '../kit.ts'
import type { Scene, Stage } from './modes.ts'
import { report } from './waiting-scenes.ts'

/** A call that takes this long (ms): the lease is renewed meanwhile. */
const longMs = 12_000

function soon<T>({ clock }: Stage, ms: number, value: T): Promise<T> {
  return new Promise((resolve) => clock.timer(ms, () => resolve(value)))
}

function tools(stage: Stage): readonly Tool[] {
  const look = tool({
    name: 'look',
    description: 'Looks.',
    effect: 'read',
    inputSchema: noInput,
    execute: () => 'a long text '.repeat(200),
  })
  const put = tool({
    name: 'put',
    description: 'Puts.',
    effect: 'idempotent',
    inputSchema: noInput,
    needsApproval: async () => false,
    execute: () => soon(stage, 5, 'put'),
  })
  // What it did can be found out; what it has not done by then it never does, for its process is dead.
  const payr = tool({
    name: 'payr',
    description: 'Pays, and knows what was paid.',
    inputSchema: noInput,
    execute: () => soon(stage, 10, 'paid'),
    reconcile: (_, { idempotencyKey }) => (stage.did(idempotencyKey) ? { settled: 'paid' } : 'not-started'),
  })
  const inputSchema = z.object({ cents: z.number() })
  const pay = tool({ name: 'pay', description: 'Pays.', inputSchema, execute: ({ cents }) => soon(stage, longMs, `paid ${cents}`) })
  return [look, put, payr, pay]
}

/** Four calls at once, one of each sort, and everything that is asked before a call: goes through every port there is. */
export const busyScene: Scene = {
  input: 'Pay',
  script: [
    { text: 'Wait.', calls: [...['look', 'put', 'payr'].map((name) => ({ name, input: {} })), { name: 'pay', input: { cents: 5 } }] },
    report,
  ],
  tools,
  options: {
    instructions: async () => 'Be brief.',
    hooks: { approveTool: async () => undefined },
    policies: { toolResult: { maxBytes: 500, maxStoredBytes: 1_000 } },
  },
}
