import type { WireApi, WireMeta } from '../setup/wire.ts'
import { type Difference, same, type What } from './differences.ts'
import { isMadeId, type RequestDifference, type RequestWhat } from './request-differences.ts'

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
  ...(
    [
      'request-text',
      'request-reasoning',
      'request-ids',
      'request-opaque',
      'request-item-ids',
      'request-marks',
      'request-order',
      'request-items',
    ] as const
  ).map(saidOf),
  { ...saidOf('request-calls'), unseen: true },
]

function saidOf(what: RequestWhat): Allowance {
  const when = (difference: AnyDifference) => 'said' in difference && difference.said === true
  return { api: 'any', what, when, reason: 'ours is what the provider had said, to the letter; the client sends something else' }
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
    what: 'request-marks',
    when: ({ recorded }) => listOf(recorded).every((field) => /^reasoning/.test(String(field))),
    reason: 'the client writes reasoning into another field than the one in which it came, or forgets it',
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
  {
    api: 'gemini-generate-content',
    what: 'request-ids',
    when: ({ recorded, ours }) => isOptional(recorded, ours),
    reason: 'ids of calls are optional: clients make some where the API gave none, and leave them out where Vertex refuses them',
  },
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
  {
    api: 'responses',
    what: 'request-item-ids',
    when: ({ recorded, ours }) => withoutNumbers(recorded) === withoutNumbers(ours),
    reason: 'the server makes up ids anew in each event (Copilot), and the source of the recording has put numbered marks in their places',
    unseen: true,
  },
  {
    api: 'any',
    what: 'request-order',
    when: (difference) =>
      !isOwn(difference) && same([...listOf(difference.recorded), 'text'], difference.ours) && isResult(difference.recorded),
    reason: 'the client shows pictures inside results, where our history has them behind: a word of ours stands before them',
    unseen: true,
  },
  {
    api: 'any',
    what: 'request-text',
    when: (difference) => !isOwn(difference) && String(difference.ours).replace(/^From the result of [^:]*:/, '') === difference.recorded,
    reason: 'the client shows pictures inside results, where our history has them behind: a word of ours says of which call they are',
    unseen: true,
  },
  {
    api: 'responses',
    what: 'request-text',
    when: (difference) => !isOwn(difference) && difference.recorded === withoutTold(difference.ours),
    reason: 'the client sends audio and video, which the API refuses: ours tells of them in words',
    unseen: true,
  },
  {
    api: 'responses',
    what: 'request-media',
    when: ({ recorded, ours }) =>
      same(
        listOf(recorded).filter((media) => !/^(?:audio|video)\//.test(String(media))),
        ours,
      ),
    reason: 'the client sends audio and video, which the API refuses: ours tells of them in words',
    unseen: true,
  },
  {
    api: 'any',
    what: 'request-ids',
    when: (difference) => isMadeAnew(difference, 64),
    reason: 'ids that some servers refuse (too long, other signs, used twice) are made anew; which result is of which call is compared',
    unseen: true,
  },
  {
    api: 'chat-completions',
    what: 'request-ids',
    when: (difference) => isMadeAnew(difference, 40),
    reason: 'OpenAI takes ids of 40 characters here, and others pass them on to it',
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
    api: 'any',
    what: 'request-roles',
    when: ({ recorded, ours }) => same(withAllResults(recorded), ours),
    reason: 'the client leaves some calls of an answer without a result: in ours each has one, which says so',
    unseen: true,
  },
  {
    api: 'any',
    what: 'request-pairing',
    when: ({ recorded, ours }) =>
      same(
        [...listOf(recorded)].sort((a, b) => Number(a) - Number(b)),
        ours,
      ) && same(ours, [...listOf(recorded).keys()]),
    reason: 'the client sends results in the order in which they came, ours in that of the calls; which is of which call is compared',
    unseen: true,
  },
  {
    api: 'any',
    what: 'request-ids',
    when: ({ recorded, ours }) => /REDACTED/.test(JSON.stringify(recorded)) && isOfOurs(ours),
    reason: 'the source of the recording has put marks in the places of ids, and the server would not take the marks',
  },
  {
    api: 'gemini-generate-content',
    what: 'request-ids',
    when: (difference) => !isOwn(difference) && listOf(difference.ours).every((id) => id === null),
    reason: 'ids of calls are optional, and nobody else takes those that another model or the client has made: ours sends none',
  },
  {
    api: 'gemini-generate-content',
    what: 'request-opaque',
    when: (difference) => !isOwn(difference) && same(listOf(difference.recorded).map(standInOf), difference.ours),
    reason: 'the stand-in for the signature of a foreign call: the Python client encodes it once more, ours sends the word as documented',
  },
  {
    api: 'gemini-generate-content',
    what: 'request-roles',
    when: ({ recorded, ours }) => JSON.stringify(listOf(ours)) === JSON.stringify(['user', ...listOf(recorded)]),
    reason: 'a conversation that begins with the model: ours has a word of the user before it, for older models want a call to follow one',
  },
]

/** What is opaque goes back to the same provider, API and model only; the others get what anybody can read. */
const handedOver: readonly Allowance[] = [
  ...(['request-reasoning', 'request-opaque'] as const).map(keptBack),
  ...(['request-item-ids', 'request-marks', 'request-items'] as const).map((what): Allowance => ({ ...keptBack(what), unseen: true })),
]

export const allowances: readonly Allowance[] = [...notYet, ...said, ...forms, ...handedOver]

function keptBack(what: RequestWhat): Allowance {
  const when = (difference: AnyDifference) =>
    isForeign(difference) && (difference.ours === '' || difference.ours === undefined || isEmpty(difference.ours))
  return { api: 'any', what, when, reason: 'an answer of another model: ours sends nothing of it that is opaque' }
}

function isForeign(difference: AnyDifference): boolean {
  return 'origin' in difference && difference.origin === 'foreign'
}

function isOwn(difference: AnyDifference): boolean {
  return 'origin' in difference && difference.origin === 'own'
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** `id_REDACTED_1` and `id_REDACTED_2` are the same. Only where there are such marks. */
function withoutNumbers(value: unknown): string {
  return JSON.stringify(value).replace(/_REDACTED_\d+/g, '_REDACTED')
}

function isResult(order: unknown): boolean {
  return listOf(order).at(-1) === 'result'
}

function withoutTold(text: unknown): string {
  return String(text).replace(/(?:From the result of [^:]*:)?\s*\(Here was a file of type (?:audio|video)\/[^)]*\)\s*/g, '')
}

/** The documented word, should a client have put it into base64. */
function standInOf(value: unknown): unknown {
  const word = 'skip_thought_signature_validator'
  return value === btoa(word) ? word : value
}

function urlSafe(value: unknown): string {
  return JSON.stringify(value).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '')
}

/** Some ids can't go to all servers. */
function isMadeAnew(difference: AnyDifference, most: number): boolean {
  const theirs = listOf(difference.recorded)
  const isUnfit = (id: unknown) => typeof id !== 'string' || id.length > most || !/^[\w-]+$/.test(id)
  const isOdd = ('reused' in difference && difference.reused === true) || new Set(theirs).size < theirs.length || theirs.some(isUnfit)
  return isOdd && isOfOurs(difference.ours)
}

function isOfOurs(ids: unknown): boolean {
  return listOf(ids).every(isMadeId)
}

function isAnsweredBetween(recorded: unknown, ours: unknown): boolean {
  const joined = listOf(ours).join(', ')
  return joined.replace(/(user \d+ results), assistant, user/g, '$1') === listOf(recorded).join(', ')
}

/** `user 1 results` behind `assistant 2 calls` are two. */
function withAllResults(outline: unknown): unknown[] {
  return listOf(outline).map((turn, place, all) => {
    const calls = /^assistant (\d+) calls/.exec(String(all[place - 1]))?.[1]
    const results = /^user (\d+) results/.exec(String(turn))?.[1]
    return Number(results) < Number(calls) ? String(turn).replace(`${results} results`, `${calls} results`) : turn
  })
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
