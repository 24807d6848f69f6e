import { join } from 'node:path'
import { Agent, type Entry, type RunStatus, type Store } from '../../index.ts'
import { unfinished } from '../sessions.ts'
import { commandName } from '../summary.ts'
import { count } from '../text.ts'
import { type Act, judged, type Stage, say, type Verdict } from './act.ts'
import { giveBackLease, isComplete, journalOf } from './journal.ts'
import { amount, type Charge, chargesIn } from './ledger.ts'
import { payTool } from './pay.ts'
import { randomOf } from './random.ts'
import { script } from './script.ts'

const session = 'payment'
const order = 'Pay the invoice of ACME.'
const invoice = { to: 'ACME', cents: 4200 }
const model = script([[{ name: 'pay', input: invoice }], 'The invoice of ACME is paid.'])

/** Steps that the process tells on its way. */
const steps = 18
/** The last of them. */
const over = 'the run is over'
/** Of these, the payment is under way after 8 to 11: half of the seeds choose one of them. */
const underWay = { from: 8, to: 11 }
/** The kill comes up to this long after a step: about as long as the process takes to the next one. */
const maxLaterMs = 3

/** Act 2: a process is killed while it pays; another one goes on. */
export const payment: Act = {
  title: 'A payment whose process is killed',
  label: 'Replies scripted, no language model; processes, kill and files are real.',
  needsFile: true,
  async play(stage) {
    const { store, folder, crew } = stage
    const ledger = ledgerIn(folder)
    await killOne(stage)
    const before = await journalOf(store, session)
    const lease = (await giveBackLease(store, session)) ? ' Its lease of 15 s is given back, for it is dead.' : ''
    say(stage, `It leaves ${entries(before)} in the journal and ${charges(ledger)} in the ledger.${lease}`)
    const { pid } = await crew.run('pay-on', folder)
    const after = await journalOf(store, session)
    say(stage, `Process ${pid} goes on. ${whatItDid(before, after)}`)
    return verdict(stage, after, chargesIn(ledger))
  },
}

function ledgerIn(folder: string): string {
  return join(folder, 'ledger-payment.jsonl')
}

function entries(journal: readonly Entry[]): string {
  const last = journal.at(-1)
  return last === undefined ? 'nothing' : `${count(journal.length, 'entry', 'entries')} (the last: ${last.kind})`
}

function charges(ledger: string): string {
  const { length } = chargesIn(ledger)
  return length === 0 ? 'nothing' : count(length, 'charge')
}

/** Starts the payment and kills it where the seed says. */
async function killOne(stage: Stage): Promise<void> {
  const random = randomOf(stage.seed)
  const { from, to } = random() < 0.5 ? underWay : { from: 1, to: steps }
  const step = from + Math.floor(random() * (to - from + 1))
  const laterMs = random() * maxLaterMs
  let told = 0
  let where = ''
  const { pid, gone } = stage.crew.start(['pay', stage.folder], (line, player) => {
    told++
    if (where !== '' || (told < step && line !== over)) return
    where = line
    // No timer is this exact. Meanwhile the process runs on, into whatever instruction it comes to.
    for (const until = performance.now() + laterMs; performance.now() < until; );
    player.kill()
  })
  say(stage, `Process ${pid} pays ${amount(invoice)}, in ${steps} steps.`)
  if ((await gone) !== undefined) throw new Error(`process ${pid} ended after ${told} steps, before it could be killed`)
  say(stage, `SIGKILL ${laterMs.toFixed(2)} ms after step ${step}, "${where}" (seed ${stage.seed}).`)
}

function whatItDid(before: readonly Entry[], after: readonly Entry[]): string {
  const has = (kind: Entry['kind']) => before.some((entry) => entry.kind === kind)
  if (before.length === 0) return 'Nothing was on record, so it is given the order again.'
  if (has('run.finished')) return 'The run was over: nothing is left to do.'
  if (has('call.settled')) return 'The payment was on record as made: it only finishes the run.'
  if (!has('call.started')) return 'The payment had not begun: it makes it.'
  return `The payment had begun: it looks into the ledger, ${whatItFound(after)}.`
}

function whatItFound(after: readonly Entry[]): string {
  const settled = after.find((entry) => entry.kind === 'call.settled')?.data
  if (settled?.by === 'reconcile' && settled.settlement.outcome === 'ok') return 'finds the charge, and does not pay again'
  const again = after.some((entry) => entry.kind === 'call.started' && entry.data.attempt > 1)
  return again ? 'finds no charge, and pays' : 'and leaves open what became of it'
}

function verdict(stage: Stage, journal: readonly Entry[], charges: readonly Charge[]): Verdict {
  const outcomes = journal.flatMap((entry) => (entry.kind === 'call.settled' ? [entry.data.settlement.outcome] : []))
  const made = charges.length === 0 ? '' : `: ${charges.map(amount).join(', ')}`
  return {
    ...judged([
      [`${count(charges.length, 'charge')} in the ledger${made}`, charges.map(amount).join() === amount(invoice)],
      ['the payment is on record as made', outcomes.join() === 'ok'],
      ['the run is complete', isComplete(journal)],
    ]),
    command: `${commandName(stage.terminal)} demo --act 2 --seed ${stage.seed}`,
    why: 'the same again',
  }
}

/** The process that pays. `tell` is called at each step. */
export async function pay(folder: string, store: Store, tell: (step: string) => void): Promise<void> {
  const told = telling(store, tell)
  await payer(folder, told, tell).run(order, { session })
  await told.close()
  tell(over)
}

/** The process that goes on with what is left of it. */
export async function payOn(folder: string, store: Store): Promise<void> {
  const agent = payer(folder, store, () => {})
  const isKnown = (await journalOf(store, session)).length > 0
  const status: RunStatus | undefined = isKnown ? await agent.session(session).status() : undefined
  if (status === undefined) await agent.run(order, { session })
  else if (unfinished.has(status)) await agent.resume(session).result
}

function payer(folder: string, store: Store, tell: (step: string) => void) {
  return new Agent({ name: 'payer', model, tools: [payTool(ledgerIn(folder), { tell })], store })
}

/** The store; what is done to it is told, before and after. */
function telling(store: Store, tell: (step: string) => void): Store {
  const told = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    tell(`${what} …`)
    const done = await work()
    tell(`${what}: done`)
    return done
  }
  return {
    append: (...given) => told(`write ${given[1].map(({ kind }) => kind).join(', ')}`, () => store.append(...given)),
    acquire: (...given) => told('take the lease', () => store.acquire(...given)),
    release: (...given) => told('give the lease back', () => store.release(...given)),
    load: (...given) => store.load(...given),
    renew: (...given) => store.renew(...given),
    watch: (...given) => store.watch(...given),
    list: (...given) => store.list(...given),
    delete: (...given) => store.delete(...given),
    blobs: store.blobs,
    close: () => store.close(),
  }
}
