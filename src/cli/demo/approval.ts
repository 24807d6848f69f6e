import { join } from 'node:path'
import { Agent, type Entry, type EntryOf, type Json, type Store } from '../../index.ts'
import { callLine } from '../call-line.ts'
import { count } from '../text.ts'
import { type Act, judged, roomOf, type Stage, say, sayLines } from './act.ts'
import { isComplete, journalOf } from './journal.ts'
import { amount, chargesIn, euros } from './ledger.ts'
import { payTool } from './pay.ts'
import { script } from './script.ts'

const session = 'approval'
const acme = { to: 'ACME', cents: 4200 }
const birch = { to: 'Birch', cents: 1300 }
/** What whoever decides makes of Birch's invoice. */
const changed = { to: 'Birch', cents: 130_000 }
/** What the model asks for once it was told yes for less. */
const more = { to: 'ACME', cents: 9900 }

const model = script([
  [
    { name: 'pay', input: acme },
    { name: 'pay', input: birch },
  ],
  [{ name: 'pay', input: more }],
  'One invoice is paid; two payments were refused.',
])
const calls = { acme: 'm1.0', birch: 'm1.1', more: 'm2.0' } as const

/** Act 3: three processes, one after another; a yes is for the arguments that were shown. */
export const approval: Act = {
  title: 'An approval that waits for another process',
  label: 'Replies and decisions scripted, no language model; processes are real.',
  needsFile: true,
  async play(stage) {
    const { store, folder, crew } = stage
    const ledger = join(folder, 'ledger-approval.jsonl')
    const asked = await crew.run('ask', folder)
    const waiting = asking(await journalOf(store, session))
    const early = chargesIn(ledger).length
    say(stage, `Process ${asked.pid} is to pay ${amount(acme)} and ${amount(birch)}. Both need a yes: it parks and ends.`)
    const decided = await crew.run('decide', folder)
    const second = await journalOf(store, session)
    say(stage, `Process ${decided.pid} says yes to ACME, and yes to Birch with changed arguments, ${euros(changed.cents)}:`)
    sayCalls(stage, second)
    say(
      stage,
      `The model asks for ACME again, with ${euros(more.cents)}. The yes was for ${euros(acme.cents)}, so this call waits for its own.`,
    )
    const refused = await crew.run('refuse', folder)
    const journal = await journalOf(store, session)
    say(stage, `Process ${refused.pid} says no:`)
    sayCalls(stage, journal, second.length)
    const settled = new Map(settledIn(journal).map(({ data }) => [data.callId, data.settlement.outcome]))
    const charges = chargesIn(ledger)
    const made = charges.map(amount).join(', ')
    return judged([
      ['Nothing was paid before a yes', waiting.join() === `${calls.acme},${calls.birch}` && early === 0],
      ['the changed arguments were refused', settled.get(calls.birch) === 'denied'],
      ['the third call waited for its own yes', asking(second).join() === calls.more && settled.get(calls.more) === 'denied'],
      [`${count(charges.length, 'charge')} in the ledger: ${made}`, settled.get(calls.acme) === 'ok' && made === amount(acme)],
      ['the run is complete', isComplete(journal)],
    ])
  },
}

/** The calls that wait for a yes. */
function asking(journal: readonly Entry[]): readonly string[] {
  const open = new Set<string>()
  for (const entry of journal) {
    if (entry.kind === 'call.prepared' && entry.data.approval !== undefined) open.add(entry.data.callId)
    if (entry.kind === 'call.settled') open.delete(entry.data.callId)
  }
  return [...open]
}

function settledIn(journal: readonly Entry[]): readonly EntryOf<'call.settled'>[] {
  return journal.filter((entry) => entry.kind === 'call.settled')
}

/** The calls that have settled in the journal after so many entries, with the arguments that they were decided with. */
function sayCalls(stage: Stage, journal: readonly Entry[], from = 0): void {
  const inputs = new Map<string, Json>()
  const requests = new Map<string, string>()
  for (const [index, entry] of journal.entries()) {
    if (entry.kind === 'model.responded')
      for (const part of entry.data.message.parts) if (part.type === 'tool-call') inputs.set(part.callId, part.input)
    if (entry.kind === 'call.prepared') requests.set(entry.id, entry.data.callId)
    if (entry.kind === 'approval.decided' && entry.data.arguments !== undefined)
      inputs.set(requests.get(entry.data.request) ?? '', entry.data.arguments)
    if (entry.kind !== 'call.settled' || index < from) continue
    const { callId, settlement, durationMs } = entry.data
    const time = durationMs === undefined ? {} : { durationMs }
    sayLines(stage, callLine({ toolName: 'pay', input: inputs.get(callId), ...settlement, ...time }, roomOf(stage)))
  }
}

/** The process that begins. */
export async function ask(folder: string, store: Store): Promise<void> {
  await payer(folder, store).run('Pay the invoices of ACME and Birch.', { session })
}

/** The process that says yes twice, once to something else. */
export async function decide(folder: string, store: Store): Promise<void> {
  const decisions = [
    { callId: calls.acme, decision: 'approve', by: 'ann' },
    { callId: calls.birch, decision: 'approve', by: 'ann', input: changed },
  ] as const
  await payer(folder, store).resume(session, { decisions }).result
}

/** The process that says no. */
export async function refuse(folder: string, store: Store): Promise<void> {
  const decisions = [{ callId: calls.more, decision: 'deny', by: 'ann', reason: 'not this month' }] as const
  await payer(folder, store).resume(session, { decisions }).result
}

function payer(folder: string, store: Store) {
  return new Agent({
    name: 'payer',
    model,
    tools: [payTool(join(folder, 'ledger-approval.jsonl'), { needsApproval: true })],
    // Five figures: the rule that no human can overrule.
    policies: { approvals: { rules: [{ action: 'deny', tool: 'pay', input: { cents: '?????*' }, reason: '100.00 EUR or more' }] } },
    store,
  })
}
