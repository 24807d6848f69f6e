import type { Refusal } from '../core/accept.ts'
import { applyTo } from '../core/apply.ts'
import type { Entry } from '../core/entry.ts'
import { RondoError } from '../core/error.ts'
import type { Naming } from '../core/outcome.ts'
import { branch, type SessionState } from '../core/state.ts'
import type { Store } from '../core/store.ts'
import { acceptInputs, inputEntry } from './accept-inputs.ts'
import { type Activation, type Input, type InputAnswer, submitLocal } from './activation.ts'
import { storeError } from './append.ts'
import type { Folded } from './folded.ts'
import { inputHead } from './head.ts'
import type { Hub } from './hub.ts'
import { isSilence, within } from './patience.ts'
import type { RunPorts, World } from './ports.ts'
import { readFailure } from './read-on.ts'
import { foldAndShow } from './show.ts'

/** Makes the entries to write from the state they meet; asked again after a lost race. A refusal writes nothing. */
export type InputMaker = (state: SessionState) => readonly Input[] | Refusal

/** Where inputs go. */
export interface InputPlace {
  readonly sessionId: string
  readonly store: Store
  readonly world: World
  readonly hub: Hub
  readonly naming: Naming
  readonly folded: Folded
  /** The journal after a seq; throws when the store does not answer. */
  load(afterSeq: number): AsyncIterable<Entry>
  /** What drives the session here at this moment, if anything does. */
  activation(): Activation | undefined
  onPending(state: SessionState): RunPorts['onPending']
}

/** An input whose write had no clear answer: it may stand in the journal already, after `since`. */
interface Doubt {
  readonly ids: Set<string>
  since: number | undefined
}

type Tried = Refusal | undefined | 'again' | RondoError

const inputAttempts = 50
const writeAttempts = 3

/**
 * The one way by which inputs enter a session: through the activation if there is one, else straight into the store. Resolves once the
 * input is durable; `fresh` says that the session cannot exist yet. Refusals are answers, not throws.
 */
export async function enterInput(place: InputPlace, make: InputMaker, fresh: boolean): Promise<Refusal | undefined> {
  if (fresh) place.folded.begin()
  const doubt: Doubt = { ids: new Set(), since: undefined }
  let known = fresh
  for (let attempt = 0, failures = 0; attempt < inputAttempts; attempt++) {
    if (await isWritten(place, doubt)) return shownHere(place)
    const answer = await tryInput(place, make, known, doubt)
    known = false
    if (answer === 'again') continue
    if (!RondoError.is(answer)) return answer
    if (answer.retryable && !isSilence(answer) && ++failures < writeAttempts) continue
    // The last try may have written all the same; a store that does not answer would not say so either.
    if (!isSilence(answer) && (await isWritten(place, doubt).catch(() => false))) return shownHere(place)
    throw answer
  }
  throw new RondoError(
    'SessionConcurrentWrite',
    `Session '${place.sessionId}' is written by others all the time; the input found no place.`,
  )
}

/** It was written without our knowing: it is shown now, while those are there who hear what is written here. */
async function shownHere({ activation, folded }: InputPlace): Promise<undefined> {
  if (activation() === undefined) await folded.alone(() => folded.refresh()).catch(() => {})
}

/** Whether an attempt without a clear answer did write: then the input is not to be written again, whatever has happened since. */
async function isWritten(place: InputPlace, { ids, since }: Doubt): Promise<boolean> {
  if (since === undefined) return false
  try {
    for await (const entry of place.load(since)) if (ids.has(entry.id)) return true
  } catch (cause) {
    throw readFailure(place.sessionId, cause)
  }
  return false
}

async function tryInput(place: InputPlace, make: InputMaker, known: boolean, doubt: Doubt): Promise<Tried> {
  const activation = place.activation()
  if (activation === undefined) return place.folded.alone(() => tryStore(place, make, known, doubt))
  const inputs = make(activation.state)
  return 'why' in inputs ? inputs : submit(activation, inputs, doubt)
}

/** Nobody drives the session here: the input goes straight into the store. */
async function tryStore(place: InputPlace, make: InputMaker, known: boolean, doubt: Doubt): Promise<Tried> {
  const { folded } = place
  const { state, fresh } = known && folded.state !== undefined ? { state: folded.state, fresh: [] } : await folded.refresh()
  const inputs = make(state)
  if ('why' in inputs) return inputs
  if (inputs.every((input) => fresh.some((entry) => entry.id === input.id))) return undefined
  // Between the look and the write an activation may have begun; it is the writer then.
  if (place.activation() !== undefined) return 'again'
  return write(place, state, inputs, doubt)
}

async function submit(activation: Activation, inputs: readonly Input[], doubt: Doubt): Promise<Refusal | undefined | 'again'> {
  const { seq } = activation.state.live
  const answer = await new Promise<InputAnswer>((settle) => submitLocal(activation, { bodies: inputs, settle }))
  if (answer.ok) return undefined
  if ('refusal' in answer) return answer.refusal
  doubtful(doubt, inputs, seq)
  return 'again'
}

async function write(place: InputPlace, state: SessionState, inputs: readonly Input[], doubt: Doubt): Promise<Tried> {
  const { sessionId, store, world, hub, folded, naming } = place
  const draft = branch(state)
  const now = world.clock.wall()
  const taken = acceptInputs(draft, inputs, place.onPending(draft), now)
  if ('why' in taken) return taken
  if (taken.length === 0) return undefined
  const entries: Entry[] = []
  for (const input of taken) {
    const entry = inputEntry(draft, input, now)
    applyTo(draft, entry)
    entries.push(entry)
  }
  try {
    const append = store.append(sessionId, entries, { expectedSeq: state.live.seq, head: inputHead(draft) })
    const { at } = await within(world.clock, 'append', sessionId, append)
    const restamped = branch(state)
    for (const entry of entries) foldAndShow(hub, restamped, entry.at === at ? entry : { ...entry, at }, naming)
    folded.state = restamped
    return undefined
  } catch (cause) {
    const error = storeError(cause)
    if (error.code === 'SessionConcurrentWrite') {
      // Folded anew: the session may have been deleted, so that nothing comes after what is known.
      folded.state = undefined
      return 'again'
    }
    doubtful(doubt, inputs, state.live.seq)
    return error
  }
}

function doubtful(doubt: Doubt, inputs: readonly Input[], seq: number): void {
  for (const { id } of inputs) doubt.ids.add(id)
  doubt.since ??= seq
}
