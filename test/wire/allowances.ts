import type { WireApi, WireMeta } from '../setup/wire.ts'
import { type Difference, same, sorted, type What } from './differences.ts'
import type { RequestDifference, RequestWhat } from './request-differences.ts'

export type AnyDifference = Difference | RequestDifference

/** A difference that is right, or known, and why. It names kinds, never recordings: it holds for those that nobody has seen. */
export interface Allowance {
  readonly api: WireApi | 'any'
  /** Default: any. */
  readonly provider?: string
  readonly what: What | RequestWhat
  /** What else must be so. Default: nothing. */
  readonly when?: (difference: AnyDifference) => boolean
  readonly reason: string
  /** Nothing of our own recordings falls under it: it stays for those that nobody has seen. All others are to go when nothing needs them. */
  readonly unseen?: true
  /** Ours is wrong, and known to be: to be removed when it is mended. */
  readonly notYet?: true
}

/** What our adapters still do wrong. */
const notYet: readonly Allowance[] = []

/** The client says something else than the provider did: that ours is right is compared with the answer itself, not with the client. */
const said: readonly Allowance[] = [
  ...(['request-text', 'request-reasoning', 'request-ids', 'request-opaque', 'request-item-ids'] as const).map(saidOf),
  ...(['request-calls', 'request-marks'] as const).map((what): Allowance => ({ ...saidOf(what), unseen: true })),
]

function saidOf(what: RequestWhat): Allowance {
  const when = (difference: AnyDifference) => 'said' in difference && difference.said === true
  return { api: 'any', what, when, reason: 'ours is what the provider had said, to the letter; the client sends something else' }
}

const optionalIds: Allowance = {
  api: 'gemini-generate-content',
  what: 'request-ids',
  when: ({ recorded, ours }) => isOptional(recorded, ours),
  reason: 'ids of calls are optional: clients make some where the API gave none, and leave them out where Vertex refuses them',
}

/**
 * What the clients of the recordings do with the answers that they send back. Each was seen in theirs; ours has no part in it, and is compared with the
 * answers themselves.
 */
export const clients: readonly Allowance[] = [
  {
    api: 'any',
    what: 'request-reasoning',
    when: ({ recorded }) => recorded === '',
    reason: 'the client forgets reasoning; what the model gave goes back where its API takes it',
  },
  {
    api: 'any',
    what: 'request-opaque',
    when: ({ recorded }) => isEmpty(recorded),
    reason: 'the client forgets signatures and encrypted reasoning; they go back to the model that gave them',
  },
  {
    api: 'any',
    what: 'request-item-ids',
    when: ({ recorded }) => isEmpty(recorded),
    reason: 'the client forgets ids of items with the items themselves',
  },
  {
    api: 'chat-completions',
    provider: 'openrouter',
    what: 'request-reasoning',
    when: ({ recorded, ours }) => recorded !== '' && String(ours).endsWith(String(recorded)),
    reason: 'the client loses the first piece of streamed reasoning_details',
  },
  {
    api: 'any',
    what: 'request-text',
    when: ({ recorded, ours }) => recorded === '' && ours !== '',
    reason: 'the client forgets the text beside calls (CrewAI)',
  },
  {
    api: 'gemini-generate-content',
    what: 'request-opaque',
    when: ({ recorded, ours }) => urlSafe(recorded) === urlSafe(ours),
    reason: 'Python clients decode signatures and encode them in the other alphabet of base64: the bytes are the same',
  },
  optionalIds,
  {
    api: 'ollama-chat',
    what: 'request-ids',
    when: ({ recorded, ours }) => isOptional(recorded, ours),
    reason: 'ids of calls are optional: results are told by the name of their tool, in the order of the calls',
  },
  {
    api: 'responses',
    what: 'request-item-ids',
    when: ({ recorded, ours }) => isOrdered(recorded, ours),
    reason: 'the client leaves ids of items out, or makes some of its own: only stored items need them',
  },
  {
    api: 'responses',
    what: 'request-ids',
    when: ({ recorded, ours }) => isPrefixed(recorded, ours),
    reason: 'the server uses ids of calls again in each response; the client puts the id of the response before them (Bedrock)',
  },
]

/** What can be written in several ways, and what the sources of the recordings have changed. */
const forms: readonly Allowance[] = [
  ...(['request-opaque', 'request-item-ids'] as const).map(
    (what): Allowance => ({
      api: 'any',
      what,
      when: ({ recorded, ours }) => withoutNumbers(recorded) === withoutNumbers(ours),
      reason: 'the source of the recording has put numbered marks in the places of the data, and numbers them anew in each file',
      unseen: true,
    }),
  ),
  {
    api: 'any',
    what: 'request-order',
    when: ({ recorded, ours }) => isForgetful(recorded, ours),
    reason: 'the client forgets the text beside calls (CrewAI), or what only this API has; the rest is in the same order',
  },
  {
    api: 'any',
    what: 'request-text',
    when: ({ recorded, ours }) => String(ours).replace(/^From the result of [^:]*:/, '') === recorded,
    reason: 'the client shows pictures inside results, where our history has them behind: a word of ours says of which call they are',
    unseen: true,
  },
  {
    api: 'any',
    what: 'request-ids',
    when: (difference) => isMadeAnew(difference),
    reason:
      'ids that some servers refuse (over 40 characters, other signs, used twice) are made anew; which result is of which call is compared',
    unseen: true,
  },
  {
    api: 'chat-completions',
    what: 'request-roles',
    when: ({ recorded, ours }) => isAnsweredBetween(recorded, ours),
    reason: 'some servers want an answer between results and what the user shows: ours puts a word there',
    unseen: true,
  },
  {
    api: 'responses',
    what: 'request-items',
    when: ({ recorded, ours }) => isWithin(recorded, ours),
    reason: 'the client forgets what a call of the server has found; ours goes back as it came',
    unseen: true,
  },
  optionalIds,
  {
    api: 'gemini-generate-content',
    what: 'request-opaque',
    when: ({ recorded, ours }) => same(listOf(recorded).map(standInOf), listOf(ours)),
    reason: 'the stand-in for the signature of a foreign call: the Python client encodes it once more, ours sends the word as documented',
  },
  {
    api: 'gemini-generate-content',
    what: 'request-roles',
    when: ({ recorded, ours }) => JSON.stringify(listOf(ours)) === JSON.stringify(['user', ...listOf(recorded)]),
    reason: 'a conversation that begins with the model: ours has a word of the user before it, for older models want a call to follow one',
  },
  {
    api: 'gemini-generate-content',
    what: 'request-items',
    when: ({ recorded, ours }) => isWithin(ours, recorded),
    reason: 'the client adds to calls of the server what it read elsewhere in the response; the API takes them as they came',
  },
  {
    api: 'any',
    what: 'request-ids',
    when: ({ recorded }) => /REDACTED/.test(JSON.stringify(recorded)),
    reason: 'the source of the recording has put marks in the places of ids, and the server would not take the marks',
  },
]

/** What only one API has is compared as it stands; clients with types of their own for it write it a little otherwise. */
const items: readonly Allowance[] = [
  {
    api: 'any',
    what: 'request-items',
    when: ({ recorded }) => recorded === undefined,
    reason: 'the client forgets what only this API has; it goes back to the model that gave it',
  },
  {
    api: 'any',
    what: 'request-marks',
    when: ({ recorded }) => isEmpty(recorded),
    reason: 'the client forgets the phase of a message, or whose call a call is',
    unseen: true,
  },
  {
    api: 'messages',
    what: 'request-items',
    when: ({ recorded, ours }) => same(plainSigns(recorded), plainSigns(without(ours, ['caller']))),
    reason:
      'the client forgets who called a server tool (an SDK older than the field), and the source of the recording writes dashes and quotes of requests in ASCII',
  },
  {
    api: 'responses',
    what: 'request-items',
    when: ({ recorded, ours }) =>
      [recorded, ours].every((item) => item === undefined || /^tool_search_/.test(String(fieldOf(item, 'type')))),
    reason: 'the client writes the search for tools in its own words, and leaves out what it found (Pydantic AI)',
  },
]

/** What is opaque goes back to the same provider, API and model only; the others get what anybody can read. */
const handedOver: readonly Allowance[] = [
  ...(['request-reasoning', 'request-opaque'] as const).map(keptBack),
  ...(['request-item-ids', 'request-marks', 'request-items'] as const).map((what): Allowance => ({ ...keptBack(what), unseen: true })),
  {
    api: 'any',
    what: 'request-ids',
    when: isForeign,
    reason: 'an answer of another model: the ids of its calls are made to fit; that calls and results belong together is compared',
  },
]

export const allowances: readonly Allowance[] = [...notYet, ...said, ...forms, ...items, ...handedOver]

function keptBack(what: RequestWhat): Allowance {
  const when = (difference: AnyDifference) =>
    isForeign(difference) && (difference.ours === '' || difference.ours === undefined || isEmpty(difference.ours))
  return { api: 'any', what, when, reason: 'an answer of another model: ours sends nothing of it that is opaque' }
}

function isForeign(difference: AnyDifference): boolean {
  return 'foreign' in difference && difference.foreign === true
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function without(value: unknown, names: readonly string[]): unknown {
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
    : value
}

function plainSigns(value: unknown): string {
  return (JSON.stringify(sorted(value)) ?? '').replace(/[\u2010-\u2015]/g, '-').replace(/[\u2018\u2019]/g, "'")
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** `signature_REDACTED_1` and `signature_REDACTED_2` are the same. Only where there are such marks. */
function withoutNumbers(value: unknown): string {
  return JSON.stringify(value).replace(/_REDACTED_\d+/g, '_REDACTED')
}

/** The documented word, should a client have put it into base64. */
function standInOf(value: unknown): unknown {
  const word = 'skip_thought_signature_validator'
  return value === btoa(word) ? word : value
}

/** Whether all of a value stands in another one. */
function isWithin(part: unknown, whole: unknown): boolean {
  if (typeof part !== 'object' || part === null) return part === whole
  if (typeof whole !== 'object' || whole === null) return false
  return Object.entries(part).every(([key, value]) => isWithin(value, Reflect.get(whole, key)))
}

function urlSafe(value: unknown): string {
  return JSON.stringify(value).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '')
}

/** What the client has is there in the same order, and it lacks nothing but text and what has no common form. */
function isForgetful(recorded: unknown, ours: unknown): boolean {
  const left = [...listOf(recorded)]
  const more = listOf(ours).filter((type) => (left[0] === type ? left.shift() === undefined : true))
  return left.length === 0 && more.every((type) => type === 'text' || type === 'item')
}

/** `call_m1_0`, in the places of ids that can't go to all servers. */
function isMadeAnew(difference: AnyDifference): boolean {
  const [theirs, others] = [listOf(difference.recorded), listOf(difference.ours)]
  const isUnfit = (id: unknown) => typeof id !== 'string' || id.length > 40 || !/^[\w-]+$/.test(id)
  const isOdd = ('reused' in difference && difference.reused === true) || new Set(theirs).size < theirs.length || theirs.some(isUnfit)
  return isOdd && others.every((id) => /^call_m\d+_\d+$/.test(String(id)))
}

function isAnsweredBetween(recorded: unknown, ours: unknown): boolean {
  const joined = listOf(ours).join(', ')
  return joined.replace(/(user \d+ results), assistant, user/g, '$1') === listOf(recorded).join(', ')
}

/** Where both have an id, it is the same. */
function isOptional(recorded: unknown, ours: unknown): boolean {
  const others = listOf(ours)
  return listOf(recorded).every((id, place) => id === null || others[place] === null || id === others[place])
}

/** What is in both comes in the same order, and ours has no less. */
function isOrdered(recorded: unknown, ours: unknown): boolean {
  const [theirs, others] = [listOf(recorded), listOf(ours)]
  const places = theirs.map((id) => others.indexOf(id)).filter((place) => place >= 0)
  return theirs.length <= others.length && places.every((place, index) => index === 0 || place > (places[index - 1] ?? 0))
}

function isPrefixed(recorded: unknown, ours: unknown): boolean {
  const others = listOf(ours)
  return listOf(recorded).every((id, place) => String(id).endsWith(`:${String(others[place])}`))
}

/** Which one a difference falls under. */
export function allowanceIn(list: readonly Allowance[], difference: AnyDifference, meta: WireMeta): Allowance | undefined {
  return list.find(
    ({ api, provider, what, when }) =>
      (api === 'any' || api === meta.api) &&
      (provider === undefined || provider === meta.provider) &&
      what === difference.what &&
      (when === undefined || when(difference)),
  )
}
