import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, tool } from 'rondo'
import { sqlite } from 'rondo/sqlite'
import { scripted } from 'rondo/testing'
import { z } from 'zod'

const pay = tool({
  name: 'pay',
  description: 'Pays an invoice',
  inputSchema: z.object({ cents: z.number(), to: z.string() }),
  needsApproval: ({ cents }) => cents > 1000 && { risk: 'high', reason: 'more than 10 euros' },
  execute: ({ cents, to }, call) => `paid ${cents} cents to ${to} (${call.approvedBy})`,
})
const store = sqlite(join(mkdtempSync(join(tmpdir(), 'rondo-')), 'sessions.db'))
const model = scripted([{ calls: [{ name: 'pay', input: { cents: 4200, to: 'ACME' } }] }, 'The invoice is paid.'])

const parked = await new Agent({ model, tools: [pay], store }).run('Pay the invoice of ACME')
if (parked.status === 'parked') {
  console.log(parked.reason, parked.pending)
  // Later, with another Agent on the same store:
  const decisions = parked.pending.map(({ callId }) => ({ callId, decision: 'approve' as const, by: 'ann' }))
  const result = await new Agent({ model, tools: [pay], store }).resume(parked.sessionId, { decisions }).result
  console.log(result.status, result.text, result.calls)
}
await store.close()
