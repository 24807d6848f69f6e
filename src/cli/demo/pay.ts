import { setTimeout as wait } from 'node:timers/promises'
import { tool } from '../../index.ts'
import { jsonSchema } from '../../json-schema/index.ts'
import { charge, chargesIn } from './ledger.ts'

/** What an order takes to the payment service, and its answer back (ms). */
const wayMs = 10

const inputSchema = jsonSchema<{ readonly to: string; readonly cents: number }>({
  type: 'object',
  properties: { to: { type: 'string' }, cents: { type: 'integer', minimum: 1 } },
  required: ['to', 'cents'],
  additionalProperties: false,
})

interface PayOptions {
  readonly needsApproval?: boolean
  /** Called at each step of a payment. */
  tell?(step: string): void
}

/**
 * Pays by a line in the ledger. Its effect is `unsafe`: it starts at most once, unless `reconcile` says that it never took effect. That can be
 * known here: only the process that pays writes to the ledger, and it is asked about the payments of one that is dead.
 */
export function payTool(ledger: string, { needsApproval = false, tell }: PayOptions = {}) {
  return tool({
    name: 'pay',
    description: 'Pays an invoice',
    inputSchema,
    needsApproval,
    async execute({ to, cents }, call) {
      tell?.('the payment goes out')
      await wait(wayMs)
      charge(ledger, { key: call.idempotencyKey, to, cents })
      tell?.('the ledger has it')
      await wait(wayMs)
      tell?.('the answer is back')
      return { paid: cents, to }
    },
    reconcile(_input, { idempotencyKey }) {
      const made = chargesIn(ledger).find(({ key }) => key === idempotencyKey)
      return made === undefined ? 'not-started' : { settled: { paid: made.cents, to: made.to } }
    },
  })
}
