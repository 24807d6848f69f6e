import { expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, type RunResult, tool } from '../../../src/index.ts'
import { anthropic } from '../../../src/models/anthropic/index.ts'
import { fakeAnthropic } from '../../../src/testing/fake/messages/index.ts'
import type { MessagesQuirks } from '../../../src/testing/fake/messages/quirks.ts'
import { messagesWords } from '../../../src/testing/fake/messages/words.ts'
import { fromScripted } from '../../../src/testing/fake/scripted.ts'
import { type ScriptedCall, type ScriptedReply, scripted } from '../../../src/testing/index.ts'

// Random scripts over HTTP: each is played in process, where the simulation holds the engine to its promises, and by a server that validates
// every request and answers with random quirks of the wire. The two runs must agree. A failure names its seed: SEED=n runs that one alone.

const one = process.env['SEED']
const seeds = one === undefined ? Array.from({ length: Number(process.env['SEEDS'] ?? 250) }, (_, index) => index) : [Number(one)]

/** mulberry32: small, seeded, good enough to pick with. */
class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed * 2_654_435_761
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }

  chance(p: number): boolean {
    return this.next() < p
  }

  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1))
  }

  pick<X>(list: readonly X[]): X {
    return list[this.int(0, list.length - 1)] as X
  }
}

const texts = ['Yes.', 'Grüße 😀 und "mehr"', 'two\nlines', 'a\\b', '{"json":true}', 'data: [DONE]', '…', 'plain words go here']

function call(dice: Dice, plain: boolean): ScriptedCall {
  const id = dice.chance(0.5) ? {} : { id: `call_${dice.int(1, 999_999)}` }
  if (!plain && dice.chance(0.15)) return { name: 'echo', input: {}, rawInput: dice.pick(['{"text":"cut', '[1]', 'nonsense', '42']), ...id }
  if (dice.chance(0.1)) return { name: 'nobody', input: { x: 1 }, ...id }
  if (dice.chance(0.15)) return { name: 'echo', input: { text: 5 }, ...id }
  if (dice.chance(0.15)) return { name: 'breaks', input: {}, ...id }
  return { name: 'echo', input: { text: dice.pick(texts), n: dice.int(0, 9) }, ...id }
}

function reply(dice: Dice, plain: boolean, maxCalls: number): ScriptedReply {
  const calls = dice.chance(0.6) ? Array.from({ length: dice.int(1, maxCalls) }, () => call(dice, plain)) : []
  const text = calls.length === 0 || dice.chance(0.4) ? { text: dice.pick(texts), chunk: dice.int(1, 9) } : {}
  const reasoning = dice.chance(0.3) ? { reasoning: dice.pick(texts) } : {}
  const finish = dice.chance(0.12) ? { finish: dice.pick(['length', 'content-filter', 'stop', 'other'] as const) } : {}
  const usage = { usage: { inputTokens: dice.int(1, 99), outputTokens: dice.int(1, 99), cachedInputTokens: dice.int(0, 1) } }
  return { ...text, ...reasoning, ...(calls.length === 0 ? {} : { calls }), ...finish, ...usage, ...failing(dice) }
}

function failing(dice: Dice): Pick<ScriptedReply, 'fail' | 'failAfter'> {
  if (!dice.chance(0.15)) return {}
  const code = dice.pick([
    'ModelServerError',
    'ModelRateLimited',
    'ModelBadRequest',
    'ModelAuthError',
    'ModelContextOverflow',
    'ModelQuotaExceeded',
  ] as const)
  return { fail: { code }, failAfter: dice.chance(0.5) ? 0 : dice.int(1, 3) }
}

function quirks(dice: Dice): MessagesQuirks {
  return {
    bytesPerWrite: dice.pick([1, 3, 17, 1_000, Number.POSITIVE_INFINITY]),
    newline: dice.pick(['\n', '\r\n', '\r'] as const),
    bom: dice.chance(0.2),
    ...(dice.chance(0.3) ? { comment: dice.pick([':', ': PROCESSING']) } : {}),
    noSpace: dice.chance(0.3),
    multiline: dice.chance(0.2),
    openEnd: dice.chance(0.3),
    noNames: dice.chance(0.3),
    noStop: dice.chance(0.3),
    noPing: dice.chance(0.3),
    padding: dice.chance(0.5),
    arguments: dice.pick(['fragments', 'start'] as const),
    argumentsPiece: dice.int(1, 20),
    thinking: dice.pick(['signed', 'signed', 'omitted', 'unsigned', 'redacted'] as const),
    form: dice.pick(['asked', 'asked', 'json', 'sse'] as const),
    usage: dice.pick(['both', 'begin'] as const),
  }
}

const tools = [
  tool({
    name: 'echo',
    description: 'Says it again.',
    effect: 'read',
    inputSchema: z.object({ text: z.string(), n: z.number().optional() }),
    execute: ({ text, n }) => ({ text, n: n ?? null }),
  }),
  tool({
    name: 'breaks',
    description: 'Fails.',
    effect: 'read',
    inputSchema: z.object({}),
    execute: (): string => {
      throw new Error('it broke')
    },
  }),
]

const policies = { retry: { baseMs: 1, capMs: 2 } } as const

/** What must agree: everything but ids, times and the provider's words. */
function agreed(result: RunResult, isThinkingTold: boolean): unknown {
  return {
    status: result.status,
    reason: result.reason,
    text: result.text,
    iterations: result.iterations,
    usage: result.usage,
    error: result.status === 'failed' ? result.error.code : undefined,
    calls: result.calls.map(({ toolName, input, outcome, ...rest }) => [
      toolName,
      input,
      outcome,
      'output' in rest ? rest.output : rest.error.code,
    ]),
    messages: result.messages.map(({ role, parts }) => [
      role,
      parts.flatMap((part) => {
        if (part.type === 'reasoning') return isThinkingTold ? [[part.type, part.text]] : []
        return [part.type === 'text' ? [part.type, part.text] : part.type]
      }),
    ]),
  }
}

test(`${seeds.length} random scripts give the same over HTTP, whatever the server's quirks, as in process`, async () => {
  const seen = new Map<string, number>()
  for (const seed of seeds) {
    const dice = new Dice(seed)
    const [plain, maxCalls] = [dice.chance(0.5), dice.pick([1, 3])]
    const [quirk, stream] = [quirks(dice), dice.chance(0.7)]
    const isWhole = quirk.form === 'json' || (quirk.form === 'asked' && !stream)
    const replies = Array.from({ length: dice.int(0, 5) }, () => reply(dice, plain, maxCalls))
    // An answer that comes at once shows nothing of itself when it fails.
    const script = [...replies.map((made) => (isWhole ? { ...made, failAfter: 0 } : made)), { text: 'The end.' }]
    const limits = { maxIterations: dice.int(1, 6), onLimit: dice.pick(['error', 'incomplete'] as const) }
    const isTold = quirk.thinking === 'signed' || quirk.thinking === 'unsigned'
    const wanted = agreed(await new Agent({ model: scripted(script), tools, policies, limits }).run('go', { throwOnError: false }), isTold)
    await using server = await fakeAnthropic(
      script.map((one) => fromScripted(one, messagesWords)),
      { quirks: quirk, rules: { prefill: false } },
    )
    const model = anthropic('fake', { baseURL: server.url, name: 'fake', stream, cache: true })
    const got = await new Agent({ model, tools, policies, limits }).run('go', { throwOnError: false })
    expect(server.violations, `SEED=${seed}`).toEqual([])
    expect(agreed(got, isTold), `SEED=${seed} ${JSON.stringify(quirk)}`).toEqual(wanted)
    for (const word of [
      `status ${got.status}`,
      `reason ${got.reason}`,
      ...got.calls.map(({ outcome }) => `outcome ${outcome}`),
      `thinking ${quirk.thinking}`,
      `arguments ${quirk.arguments}`,
      `form ${quirk.form}`,
    ])
      seen.set(word, (seen.get(word) ?? 0) + 1)
  }
  if (one !== undefined) return
  console.info(
    [...seen]
      .sort()
      .map(([word, count]) => `${word} ${count}`)
      .join(' · '),
  )
  const wanted = [
    'status completed',
    'status failed',
    'status incomplete',
    'outcome ok',
    'outcome error',
    'outcome invalid',
    'outcome truncated',
    'thinking omitted',
    'thinking redacted',
    'arguments start',
    'form json',
    'form sse',
  ]
  expect(
    wanted.filter((word) => !seen.has(word)),
    'what never occurred',
  ).toEqual([])
}, 120_000)
