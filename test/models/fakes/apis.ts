import type { ErrorCode } from '../../../src/core/error.ts'
import type { FinishReason, Model } from '../../../src/core/model.ts'
import { anthropic } from '../../../src/models/anthropic/index.ts'
import { gemini } from '../../../src/models/gemini/index.ts'
import { ollama } from '../../../src/models/ollama/index.ts'
import { openai, openaiCompatible } from '../../../src/models/openai/index.ts'
import { fakeOpenAIChat } from '../../../src/testing/fake/chat/index.ts'
import type { ChatQuirks } from '../../../src/testing/fake/chat/quirks.ts'
import { chatWords } from '../../../src/testing/fake/chat/words.ts'
import { fakeGemini } from '../../../src/testing/fake/gemini/index.ts'
import type { GeminiQuirks } from '../../../src/testing/fake/gemini/quirks.ts'
import { geminiWords } from '../../../src/testing/fake/gemini/words.ts'
import { fakeAnthropic } from '../../../src/testing/fake/messages/index.ts'
import type { MessagesQuirks } from '../../../src/testing/fake/messages/quirks.ts'
import { messagesWords } from '../../../src/testing/fake/messages/words.ts'
import { fakeOllama } from '../../../src/testing/fake/ollama/index.ts'
import type { OllamaQuirks } from '../../../src/testing/fake/ollama/quirks.ts'
import { ollamaWords } from '../../../src/testing/fake/ollama/words.ts'
import type { Reply, WireQuirks } from '../../../src/testing/fake/reply.ts'
import { fakeResponses } from '../../../src/testing/fake/responses/index.ts'
import type { ResponsesQuirks } from '../../../src/testing/fake/responses/quirks.ts'
import { responsesWords } from '../../../src/testing/fake/responses/words.ts'
import type { Words } from '../../../src/testing/fake/scripted.ts'
import type { FakeServer } from '../../../src/testing/fake/server.ts'
import type { Dice } from './dice.ts'

/** What a script is like that quirks are picked for. */
export interface ScriptKind {
  /** All arguments are JSON objects. */
  readonly plain: boolean
  readonly maxCalls: number
}

/** An API as the tests that hold for all of them see it: one entry in `apis`. */
export interface FakeCase<Q extends WireQuirks = WireQuirks> {
  readonly words: Words
  /** A server with these replies. */
  serve(replies: readonly Reply<Q>[], quirks?: Q): Promise<FakeServer>
  /** A model that asks it. With dice: any of those that it may be. */
  model(url: string, options: { readonly stream: boolean }, dice?: Dice): Model
  quirks(dice: Dice, kind: ScriptKind): Q
  /** Whether an answer with these quirks comes at once, or shows nothing of itself when it breaks off. */
  comesAtOnce(quirks: Q, stream: boolean): boolean
  /** Whether reasoning comes with its text. Default: yes. */
  tellsReasoning?(quirks: Q): boolean
  /** Whether a text may be several parts, some of them blank: each signature stands on one of its own. Default false. */
  readonly splitsTexts?: boolean
  /** What the API can't say is in no script: with which quirks arguments may be no JSON. Absent: never. */
  readonly brokenArguments?: Q
  readonly finishes: readonly FinishReason[]
  readonly tellsCached: boolean
  /** Errors that it can tell in the middle of a response. */
  readonly errorsInStream: readonly ErrorCode[]
  /** How a case is counted, and which counts may not be zero. */
  seen(quirks: Q): readonly string[]
  readonly wanted: readonly string[]
}

const errors = [
  'ModelServerError',
  'ModelRateLimited',
  'ModelBadRequest',
  'ModelAuthError',
  'ModelContextOverflow',
  'ModelQuotaExceeded',
] as const satisfies readonly ErrorCode[]

export const anyError: readonly ErrorCode[] = errors

function isWhole({ form }: WireQuirks, stream: boolean): boolean {
  return form === 'json' || (form === 'asked' && !stream)
}

function anyForm(dice: Dice): NonNullable<WireQuirks['form']> {
  return dice.pick(['asked', 'asked', 'json', 'sse'] as const)
}

function bytes(dice: Dice): number {
  return dice.pick([1, 3, 17, 1_000, Number.POSITIVE_INFINITY])
}

/** Of an event stream. */
function eventQuirks(dice: Dice) {
  return {
    bytesPerWrite: bytes(dice),
    newline: dice.pick(['\n', '\r\n', '\r'] as const),
    bom: dice.chance(0.2),
    ...(dice.chance(0.3) ? { comment: dice.pick([':', ': PROCESSING']) } : {}),
    noSpace: dice.chance(0.3),
    multiline: dice.chance(0.2),
    openEnd: dice.chance(0.3),
    argumentsPiece: dice.int(1, 20),
  }
}

const chat: FakeCase<ChatQuirks> = {
  words: chatWords,
  // Who gives reasoning in a field takes it back in that field.
  serve: (replies, quirks = {}) => fakeOpenAIChat(replies, { quirks, rules: { extraMessageFields: ['reasoning_content', 'reasoning'] } }),
  model: (baseURL, { stream }) => openaiCompatible({ baseURL, stream })('fake'),
  comesAtOnce: isWhole,
  quirks(dice, { plain, maxCalls }) {
    const kinds = plain ? (['fragments', 'whole', 'object', 'twice'] as const) : (['fragments', 'whole'] as const)
    const form = anyForm(dice)
    const index = dice.pick(maxCalls === 1 ? (['right', 'none', 'zero', 'drifting'] as const) : (['right', 'none', 'zero'] as const))
    const ids =
      index === 'right' ? dice.pick(['once', 'every', 'none', 'empty', 'same'] as const) : dice.pick(['once', 'every', 'none'] as const)
    return {
      ...eventQuirks(dice),
      noDone: dice.chance(0.3),
      role: dice.pick(['own', 'first', 'none'] as const),
      filterPreamble: dice.chance(0.2),
      reasoningField: dice.pick(['reasoning_content', 'reasoning'] as const),
      index,
      ids,
      // Broken arguments that come at once, with neither number nor id, can't be told from the beginning of what follows. Nor where every call is
      // counted as 0: a new id may be of a piece, and taking a piece for a call would be the worse mistake.
      arguments: (ids === 'none' ? index !== 'right' : index === 'zero') && !plain ? 'fragments' : dice.pick(kinds),
      form,
      // Who is sent a stream that it did not ask for has not asked for the usage either.
      usage: dice.pick(form === 'sse' ? (['last', 'finish', 'every'] as const) : (['asked', 'last', 'finish', 'every'] as const)),
    }
  },
  brokenArguments: {},
  finishes: ['length', 'content-filter', 'stop', 'other'],
  tellsCached: true,
  errorsInStream: errors,
  seen: ({ index, ids, arguments: args }) => [`index ${index}`, `ids ${ids}`, `arguments ${args}`],
  wanted: ['index drifting', 'ids same', 'arguments object', 'outcome truncated'],
}

function isPiecewise({ tells = 'all', objectArguments }: ResponsesQuirks): boolean {
  return (tells === 'all' || tells === 'deltas') && objectArguments !== true
}

const responses: FakeCase<ResponsesQuirks> = {
  words: responsesWords,
  serve: (replies, quirks = {}) => fakeResponses(replies, { quirks }),
  model(baseURL, { stream }, dice) {
    const more = dice === undefined ? {} : { name: dice.pick(['openai', 'acme']), store: dice.chance(0.2) }
    return openai('gpt-5-fake', { baseURL, stream, apiKey: 'key', ...more })
  },
  // One that comes item by item shows nothing of itself when it fails.
  comesAtOnce: (quirks, stream) => isWhole(quirks, stream) || !isPiecewise(quirks),
  quirks(dice, { plain }) {
    const tells = dice.pick(['all', 'all', 'no-deltas', 'deltas', 'items', 'snapshot'] as const)
    return {
      ...eventQuirks(dice),
      doneSentinel: dice.chance(0.3),
      unnamed: dice.chance(0.3),
      padded: dice.chance(0.3),
      items: dice.pick(['both', 'both', 'id', 'place', 'renamed', 'zero'] as const),
      tells,
      emptySnapshot: tells !== 'deltas' && dice.chance(0.2),
      reasoning: dice.pick(['encrypted', 'encrypted', 'content', 'stored'] as const),
      // What is no JSON object can only come as a text.
      objectArguments: plain && dice.chance(0.2),
      form: anyForm(dice),
    }
  },
  brokenArguments: {},
  finishes: ['length', 'content-filter', 'stop', 'other'],
  tellsCached: true,
  errorsInStream: errors,
  seen: ({ items, tells, reasoning }) => [`items ${items}`, `tells ${tells}`, `reasoning ${reasoning}`],
  wanted: ['items renamed', 'items zero', 'tells snapshot', 'reasoning stored', 'outcome truncated'],
}

const messages: FakeCase<MessagesQuirks> = {
  words: messagesWords,
  serve: (replies, quirks = {}) => fakeAnthropic(replies, { quirks, rules: { prefill: false } }),
  model: (baseURL, { stream }) => anthropic('fake', { baseURL, name: 'fake', stream, cache: true }),
  comesAtOnce: isWhole,
  tellsReasoning: ({ thinking = 'signed' }) => thinking === 'signed' || thinking === 'unsigned',
  quirks: (dice) => ({
    ...eventQuirks(dice),
    noNames: dice.chance(0.3),
    noStop: dice.chance(0.3),
    noPing: dice.chance(0.3),
    padding: dice.chance(0.5),
    arguments: dice.pick(['fragments', 'start'] as const),
    thinking: dice.pick(['signed', 'signed', 'omitted', 'unsigned', 'redacted'] as const),
    form: anyForm(dice),
    usage: dice.pick(['both', 'begin'] as const),
  }),
  brokenArguments: {},
  finishes: ['length', 'content-filter', 'stop', 'other'],
  tellsCached: true,
  errorsInStream: errors,
  seen: ({ thinking, arguments: args }) => [`thinking ${thinking}`, `arguments ${args}`],
  wanted: ['thinking omitted', 'thinking redacted', 'arguments start', 'outcome truncated'],
}

const geminiCase: FakeCase<GeminiQuirks> = {
  words: geminiWords,
  serve: (replies, quirks = {}) => fakeGemini(replies, { quirks }),
  model(baseURL, { stream }, dice) {
    const model =
      dice?.pick(['gemini-2.5-flash', 'gemini-3-flash-preview', 'gemini-3.1-pro-preview', 'gemini-flash-latest']) ?? 'gemini-2.5-flash'
    const vertex = dice?.chance(0.3) === true ? { vertex: { project: 'p' } } : {}
    return gemini(model, { baseURL, stream, apiKey: 'key', ...vertex })
  },
  comesAtOnce: isWhole,
  quirks: (dice) => ({
    ...eventQuirks(dice),
    form: anyForm(dice),
    ids: dice.chance(0.6),
    partialArgs: dice.chance(0.4),
    ...(dice.chance(0.8) ? { signatures: dice.pick(['call', 'end', 'text'] as const) } : {}),
    finish: dice.pick(['name', 'name', 'number'] as const),
    finishIn: dice.pick(['own', 'bare', 'last'] as const),
    usage: dice.pick(['every', 'every', 'last'] as const),
    spaced: dice.chance(0.4),
  }),
  splitsTexts: true,
  finishes: ['length', 'content-filter', 'stop', 'other'],
  tellsCached: true,
  errorsInStream: errors,
  seen: ({ ids, partialArgs, signatures, finish }) => [
    `ids ${ids}`,
    `partial ${partialArgs}`,
    `signatures ${signatures}`,
    `finish ${finish}`,
  ],
  wanted: ['ids false', 'partial true', 'signatures end', 'signatures text', 'finish number'],
}

const ollamaCase: FakeCase<OllamaQuirks> = {
  words: ollamaWords,
  serve: (replies, quirks = {}) => fakeOllama(replies, { quirks }),
  model: (baseURL, { stream }) => ollama('qwen3', { baseURL, stream }),
  comesAtOnce: isWhole,
  quirks: (dice, { plain }) => ({
    bytesPerWrite: bytes(dice),
    newline: dice.pick(['\n', '\r\n'] as const),
    openEnd: dice.chance(0.3),
    form: anyForm(dice),
    ids: dice.chance(0.6),
    arguments: plain && dice.chance(0.7) ? 'object' : 'text',
    callsTogether: dice.chance(0.4),
  }),
  brokenArguments: { arguments: 'text' },
  finishes: ['length', 'stop', 'other'],
  tellsCached: false,
  // An error is a text, and no status stands beside it there.
  errorsInStream: ['ModelServerError', 'ModelRateLimited', 'ModelAuthError', 'ModelContextOverflow', 'ModelQuotaExceeded'],
  seen: ({ ids, arguments: args, callsTogether }) => [`ids ${ids}`, `arguments ${args}`, `together ${callsTogether}`],
  wanted: ['ids false', 'arguments text', 'arguments object', 'together true', 'outcome truncated'],
}

/** Every API for which there is a fake server. The type of its quirks is its own matter. */
export const apis: { readonly [name: string]: FakeCase } = {
  'Chat Completions': some(chat),
  Messages: some(messages),
  Responses: some(responses),
  Gemini: some(geminiCase),
  Ollama: some(ollamaCase),
}

function some<Q extends WireQuirks>(api: FakeCase<Q>): FakeCase {
  return api as unknown as FakeCase
}
