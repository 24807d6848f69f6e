import { expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, type RunResult, tool } from '../../../src/index.ts'
import { fromScripted } from '../../../src/testing/fake/scripted.ts'
import { type ScriptedCall, type ScriptedReply, scripted } from '../../../src/testing/index.ts'
import { anyError, apis, type FakeCase } from './apis.ts'
import { Dice } from './dice.ts'

// Random scripts over HTTP: each is played in process, where the simulation holds the engine to its promises, and by a server that validates
// every request and answers with random quirks of the wire. The two runs must agree. A failure names its seed: SEED=n runs that one alone.

const one = process.env['SEED']
const seeds = one === undefined ? Array.from({ length: Number(process.env['SEEDS'] ?? 250) }, (_, index) => index) : [Number(one)]

const texts = ['Yes.', 'Grüße 😀 und "mehr"', 'two\nlines', 'a\\b', '{"json":true}', 'data: [DONE]', '…', 'plain words go here']

function call(dice: Dice, plain: boolean): ScriptedCall {
  const id = dice.chance(0.5) ? {} : { id: `call_${dice.int(1, 999_999)}` }
  if (!plain && dice.chance(0.15)) return { name: 'echo', input: {}, rawInput: dice.pick(['{"text":"cut', '[1]', 'nonsense', '42']), ...id }
  if (dice.chance(0.1)) return { name: 'nobody', input: { x: 1 }, ...id }
  if (dice.chance(0.15)) return { name: 'echo', input: { text: 5 }, ...id }
  if (dice.chance(0.15)) return { name: 'breaks', input: {}, ...id }
  return { name: 'echo', input: { text: dice.pick(texts), n: dice.int(0, 9) }, ...id }
}

interface Kind {
  readonly api: FakeCase
  readonly plain: boolean
  readonly maxCalls: number
  /** Nothing of an answer is seen when it fails. */
  readonly atOnce: boolean
}

function reply(dice: Dice, { api, plain, maxCalls, atOnce }: Kind): ScriptedReply {
  const calls = dice.chance(0.6) ? Array.from({ length: dice.int(1, maxCalls) }, () => call(dice, plain)) : []
  const text = calls.length === 0 || dice.chance(0.4) ? { text: dice.pick(texts), chunk: dice.int(1, 9) } : {}
  const reasoning = dice.chance(0.3) ? { reasoning: dice.pick(texts) } : {}
  const finish = dice.chance(0.12) ? { finish: dice.pick(api.finishes) } : {}
  const cachedInputTokens = api.tellsCached ? dice.int(0, 1) : 0
  const usage = { usage: { inputTokens: dice.int(1, 99), outputTokens: dice.int(1, 99), cachedInputTokens } }
  return { ...text, ...reasoning, ...(calls.length === 0 ? {} : { calls }), ...finish, ...usage, ...failing(dice, api, atOnce) }
}

function failing(dice: Dice, api: FakeCase, atOnce: boolean): Pick<ScriptedReply, 'fail' | 'failAfter'> {
  if (!dice.chance(0.15)) return {}
  const failAfter = dice.chance(0.5) || atOnce ? 0 : dice.int(1, 3)
  return { fail: { code: dice.pick(failAfter === 0 ? anyError : api.errorsInStream) }, failAfter }
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
function agreed(result: RunResult, saidIn: (parts: Parts) => unknown): unknown {
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
    messages: result.messages.map(({ role, parts }) => [role, saidIn(parts)]),
  }
}

type Parts = RunResult['messages'][number]['parts']

/** The parts as they are to agree. Of calls more is told elsewhere. */
function partsFor({ splitsTexts = false }: FakeCase, isTold: boolean): (parts: Parts) => readonly (readonly string[])[] {
  return (parts) => {
    const said: [string, string][] = []
    for (const part of parts) {
      const text = part.type === 'text' || part.type === 'reasoning' ? part.text : undefined
      const before = said.at(-1)
      if ((part.type === 'reasoning' && !isTold) || (splitsTexts && text === '')) continue
      if (splitsTexts && text !== undefined && before?.[0] === part.type) before[1] += text
      else said.push([part.type, text ?? ''])
    }
    return said
  }
}

test.each(Object.entries(apis))(
  `${seeds.length} random scripts give the same over HTTP, whatever the server's quirks, as in process: %s`,
  async (_name, api) => {
    const seen = new Map<string, number>()
    for (const seed of seeds) {
      const dice = new Dice(seed)
      const [plain, maxCalls] = [dice.chance(0.5) || api.brokenArguments === undefined, dice.pick([1, 3])]
      const [quirk, stream] = [api.quirks(dice, { plain, maxCalls }), dice.chance(0.7)]
      const kind = { api, plain, maxCalls, atOnce: api.comesAtOnce(quirk, stream) }
      const replies = Array.from({ length: dice.int(0, 5) }, () => reply(dice, kind))
      const script = [...replies, { text: 'The end.' }]
      const limits = { maxIterations: dice.int(1, 6), onLimit: dice.pick(['error', 'incomplete'] as const) }
      const saidIn = partsFor(api, api.tellsReasoning?.(quirk) ?? true)
      const wanted = agreed(
        await new Agent({ model: scripted(script), tools, policies, limits }).run('go', { throwOnError: false }),
        saidIn,
      )
      const served = script.map((one) => fromScripted(one, api.words))
      await using server = await api.serve(served, quirk)
      const model = api.model(server.url, { stream }, dice)
      const got = await new Agent({ model, tools, policies, limits }).run('go', { throwOnError: false })
      expect(server.violations, `SEED=${seed}`).toEqual([])
      expect(agreed(got, saidIn), `SEED=${seed} ${model.id} ${JSON.stringify(quirk)} ${JSON.stringify(script)}`).toEqual(wanted)
      const words = [`status ${got.status}`, `reason ${got.reason}`, ...got.calls.map(({ outcome }) => `outcome ${outcome}`)]
      for (const word of [...words, `form ${quirk.form}`, ...api.seen(quirk)]) seen.set(word, (seen.get(word) ?? 0) + 1)
    }
    if (one !== undefined) return
    console.info(
      [...seen]
        .sort()
        .map(([word, count]) => `${word} ${count}`)
        .join(' · '),
    )
    const wanted = ['status completed', 'status failed', 'status incomplete', 'outcome ok', 'outcome error', 'outcome invalid']
    expect(
      [...wanted, 'form json', 'form sse', ...api.wanted].filter((word) => !seen.has(word)),
      'what never occurred',
    ).toEqual([])
  },
  120_000,
)
