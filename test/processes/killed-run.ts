import { Agent, type Entry, type Message, textOf } from '../../src/index.ts'
import { sqlite } from '../../src/stores/sqlite.ts'
import { scripted, seededRandom } from '../../src/testing/index.ts'
import { type Child, doubled, endLeases, entriesOf, fileOf, linesOf, newPlace, payments, startChild } from './children.ts'
import type { Answer, Clerk } from './clerk.ts'

/** What became of one run, and everything that is wrong with it. */
export interface Survived {
  readonly text: string
  readonly calls: readonly string[]
  readonly counts: Counts
  /** Where its processes were when they were killed. */
  readonly places: readonly string[]
  readonly complaints: readonly string[]
}

export interface Counts {
  kills: number
  /** Processes that went on with a run. */
  resumes: number
  said: number
  approved: number
  /** Payments that the bank holds. */
  effects: number
  unknown: number
  /** Lost outcomes that `reconcile` has found, and attempts beyond the first. */
  found: number
  again: number
}

const messages = 3
const mostProcesses = 40

/**
 * One run of the shop, whose processes are killed up to `kills` times: half of them from outside after a random time, half by themselves at a random
 * place. The speaker approves and says its messages meanwhile. Processes follow until the run has ended and all is said.
 */
export async function survive(seed: number, mostKills: number, speaker: Clerk): Promise<Survived> {
  const folder = newPlace()
  const random = seededRandom(seed)
  const kills = Math.ceil(random() * mostKills)
  const counts: Counts = { kills: 0, resumes: 0, said: 0, approved: 0, effects: 0, unknown: 0, found: 0, again: 0 }
  const places: string[] = []
  const complaints: string[] = []
  /** What had settled when a process began. */
  const settled: ReadonlySet<string>[] = []
  const desk = openDesk(folder, seed, speaker, counts, complaints)
  let over = false
  while (!over && settled.length < mostProcesses) {
    settled.push(await settledIn(folder))
    // What is said when a process has ended is for the next one.
    const allSaid = counts.said === messages
    const child = beginDriver(folder, seed, settled.length - 1, settled.length <= kills, random)
    const end = await child.ended
    if (end === 'SIGKILL') {
      counts.kills++
      places.push(await placeOfDeath(folder))
      endLeases(folder)
    } else if (end !== 0) complaints.push(`process ${settled.length - 1} ended with ${end}`)
    else over = isOver(await child.line('ended'), complaints) && allSaid
  }
  await desk.close()
  counts.resumes = settled.length - 1
  if (!over) complaints.push(`it has not ended after ${mostProcesses} processes`)
  return { ...(await judge(folder, desk.said, settled, counts, complaints)), counts, places, complaints }
}

function beginDriver(folder: string, seed: number, index: number, mayDie: boolean, random: () => number): Child {
  const inside = random() < 0.5
  const dieAt = 1 + Math.floor(random() * 20)
  const afterMs = random() * 250
  const parkAfter = random() < 0.5 ? 0 : 'never'
  const child = startChild('driver', folder, `p${index}`, seed * 100 + index, mayDie && inside ? dieAt : 0, parkAfter)
  const kill = () => setTimeout(() => child.process.kill('SIGKILL'), afterMs)
  if (mayDie && !inside) child.line('begun').then(kill, kill)
  return child
}

/** Whether nothing is left to drive, by the word of a process that has tried. */
function isOver(line: string, complaints: string[]): boolean {
  const { status, code, text } = JSON.parse(line.slice('ended '.length)) as { status?: string; code?: string; text?: string }
  if (status === 'completed' || code === 'RunInvalidState') return true
  if (status !== 'parked') complaints.push(`it ended so: ${line}`)
  else if (text === undefined) complaints.push(`parked without a word: ${line}`)
  return false
}

/** Answers what waits, and says the messages one after another at random times, until it is closed. */
function openDesk(folder: string, seed: number, speaker: Clerk, counts: Counts, complaints: string[]) {
  const random = seededRandom(~seed)
  const said: string[] = []
  let open = true
  /** A run that has not begun yet can't be spoken to. */
  const isTaken = ({ error }: Answer<unknown>) => {
    if (error !== undefined && error.code !== 'SessionNotFound') complaints.push(`the speaker was told: ${error.message}`)
    return error === undefined
  }
  const work = async () => {
    while (open) {
      await new Promise((resolve) => setTimeout(resolve, random() * 120))
      const text = `Message ${said.length + 1}.`
      if (said.length < messages && random() < 0.3 && isTaken(await speaker.send(folder, text))) counts.said = said.push(text)
      const waiting = (await speaker.pending(folder)).value ?? []
      for (const { callId } of waiting)
        if (isTaken(await speaker.decide(folder, { callId, decision: 'approve', by: 'ann' }))) counts.approved++
    }
  }
  const working = work()
  const close = () => {
    open = false
    return working
  }
  return { said, close }
}

/** What the journal and the bank have of it: the last entry, and whether a payment was made whose outcome is nowhere. */
async function placeOfDeath(folder: string): Promise<string> {
  const store = sqlite(fileOf(folder))
  const entries = await entriesOf(store)
  await store.close()
  const settled = new Set(entries.flatMap((entry) => (entry.kind === 'call.settled' ? [`s/${entry.data.callId}`] : [])))
  const isLost = [...payments(folder).keys()].some((key) => !settled.has(key))
  return `${entries.at(-1)?.kind ?? 'nothing'}${isLost ? ', paid' : ''}`
}

async function settledIn(folder: string): Promise<ReadonlySet<string>> {
  const store = sqlite(fileOf(folder))
  const entries = await entriesOf(store)
  await store.close()
  return new Set(entries.flatMap((entry) => (entry.kind === 'call.settled' ? [entry.data.callId] : [])))
}

async function judge(
  folder: string,
  said: readonly string[],
  settled: readonly ReadonlySet<string>[],
  counts: Counts,
  complaints: string[],
) {
  // An hour later: a lease that nobody gave back has run out.
  const store = sqlite(fileOf(folder), { clock: () => Date.now() + 3_600_000 })
  try {
    const entries = await entriesOf(store)
    complaints.push(...doubled(entries), ...doneAgain(folder, settled), ...wrongOutcomes(folder, entries, counts))
    const [summary] = await store.list()
    if (summary?.head?.status !== 'completed') complaints.push(`its status is ${summary?.head?.status}`)
    if ((await store.list({ ownerLost: true })).length > 0) complaints.push('its last process has not given it back')
    if ((await store.list({ dueBefore: Date.now() + 3_600_000 })).length > 0) complaints.push('it is due, and has ended')
    const conversation: Message[] = []
    for await (const message of new Agent({ model: scripted([]), store }).session('s').messages()) conversation.push(message)
    const asked = conversation.filter(({ role }) => role === 'user').map(textOf)
    if (asked.join() !== ['Go.', ...said].join())
      complaints.push(`the user is quoted with: ${asked.join(' ')}; said was: ${said.join(' ')}`)
    const last = conversation.at(-1)
    return { text: last?.role === 'assistant' ? textOf(last) : '', calls: callsOf(entries) }
  } finally {
    await store.close()
  }
}

function callsOf(entries: readonly Entry[]): readonly string[] {
  return entries.flatMap((entry) =>
    entry.kind !== 'model.responded'
      ? []
      : entry.data.message.parts.flatMap((part) => (part.type === 'tool-call' ? [`${part.toolName} ${JSON.stringify(part.input)}`] : [])),
  )
}

/** Calls that a process began though their outcome stood in the journal before that process did. */
function doneAgain(folder: string, settled: readonly ReadonlySet<string>[]): string[] {
  return linesOf(folder, 'begun').flatMap((line) => {
    const [name = '', key = ''] = line.split(' ')
    return settled[Number(name.slice(1))]?.has(key.replace('s/', '')) === true ? [`${key} had settled, and ${name} ran it again`] : []
  })
}

/** What a crash may mean depends on the effect class: nothing at all, another attempt, or an outcome that is unknown. */
function wrongOutcomes(folder: string, entries: readonly Entry[], counts: Counts): string[] {
  const paid = payments(folder)
  const names = new Map<string, string>()
  const attempts = new Map<string, number>()
  const wrong: string[] = []
  for (const entry of entries) {
    if (entry.kind === 'call.started') {
      attempts.set(entry.data.callId, entry.data.attempt)
      if (entry.data.attempt > 1) counts.again++
    }
    if (entry.kind === 'model.responded')
      for (const part of entry.data.message.parts) if (part.type === 'tool-call') names.set(part.callId, part.toolName)
    if (entry.kind !== 'call.settled') continue
    const { callId, settlement, by } = entry.data
    const { outcome } = settlement
    const times = paid.get(`s/${callId}`) ?? 0
    counts.effects += times
    if (outcome === 'unknown') counts.unknown++
    if (outcome === 'ok' && by === 'reconcile') counts.found++
    const tool = names.get(callId) ?? ''
    const attempt = attempts.get(callId) ?? 0
    const isUnsafe = ['pay', 'order'].includes(tool)
    const expected = tool === 'wire' || isUnsafe ? [outcome === 'ok' ? 1 : 0, 1] : [0, 0]
    // A call that has seen three processes die is given up.
    const isAllowed = outcome === 'ok' || (isUnsafe ? outcome === 'unknown' : outcome === 'error' && attempt === 3)
    if (!isAllowed) wrong.push(`${tool} ${callId} settled as ${outcome} after ${attempt} attempts`)
    if (!expected.includes(times) || times > 1) wrong.push(`${tool} ${callId} was paid ${times} times, and is ${outcome}`)
  }
  if (paid.size > names.size) wrong.push('the bank knows of calls that the journal does not')
  return wrong
}
