import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Agent, type Model, type ModelDelta, type ModelFinish, type ModelRequest, noUsage, RondoError } from '../../../src/index.ts'
import { httpError } from '../../../src/models/errors.ts'
import { recorded, type Script, scripted } from '../../../src/testing/index.ts'
import { collect, lines, plainTool, refusal, story, thrown } from '../../acceptance/kit.ts'
import { ask, failed, held, request, said } from '../../models/wrappers/kit.ts'

let file = ''

beforeEach(() => {
  vi.stubEnv('CI', '')
  file = join(mkdtempSync(join(tmpdir(), 'rondo-recorded-')), 'answers.jsonl')
})
afterEach(() => vi.unstubAllEnvs())

const model = (replies: Script, id = 'm') => scripted(replies, { provider: 'acme', id })
/** Whoever asks it fails the test. */
const nobody = model([])
const speaking = (deltas: readonly ModelDelta[], finish: ModelFinish): Model => ({
  ...nobody,
  stream: async (_, sink) => {
    for (const delta of deltas) sink(delta)
    return finish
  },
})
const rows = () =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
const saidTo = async (one: Model, asked: ModelRequest) => {
  const { finish, deltas } = ask(one, { request: asked })
  await finish
  return deltas.map((delta) => ('text' in delta ? delta.text : '')).join('')
}

describe('recorded: what is recorded is replayed', () => {
  test('pieces, calls, opaque data and the finish, as they came', async () => {
    const deltas: ModelDelta[] = [
      { type: 'reasoning', part: 0, text: 'hm' },
      { type: 'data', part: 0, providerData: { 'acme/chat/m': { signature: 'secret: abcdefgh' } } },
      { type: 'text', part: 1, text: 'Hel' },
      { type: 'text', part: 1, text: 'lo' },
      { type: 'call', part: 2, toolName: 'look', providerCallId: 'c1' },
      { type: 'call-input', part: 2, text: '{"a"' },
      { type: 'call-input', part: 2, text: ':1}' },
      { type: 'part', part: 3, value: { type: 'source', url: 'https://example.org' } },
    ]
    const finish = { finishReason: 'other' as const, rawFinishReason: 'odd', usage: { ...noUsage, inputTokens: 3 }, model: 'acme:x' }
    await ask(recorded(speaking(deltas, { ...finish, requestId: 'r1' }), file)).finish
    const replayed = ask(recorded(nobody, file, { mode: 'replay' }))
    expect(await replayed.finish).toEqual(finish)
    expect(replayed.deltas).toEqual(deltas)
  })

  test('an error, after what had come before it', async () => {
    const fail = { code: 'ModelRateLimited' as const, message: 'slow down', retryAfterMs: 5_000 }
    const first = recorded(model([{ text: 'Half', failAfter: 1, fail }]), file, { mode: 'record' })
    const error = await failed(first)
    const replayed = ask(recorded(nobody, file, { mode: 'replay' }))
    expect((await refusal(replayed.finish)).toData()).toEqual(error.toData())
    expect(replayed.deltas).toEqual([{ type: 'text', part: 0, text: 'Half' }])
  })

  test.each([
    ['ModelRateLimited', 1],
    ['ModelServerError', 1],
    ['ModelTimeout', 1],
    ['ModelAuthError', 1],
    ['ModelQuotaExceeded', 1],
    ['ModelUnknownError', 1],
    ['ModelBadRequest', 0],
    ['ModelContextOverflow', 0],
    ['ModelContentBlocked', 0],
  ] as const)('auto keeps an error of the request, and not one of the hour: %s', async (code, asked) => {
    expect((await failed(recorded(model([{ fail: { code, message: 'No.' } }]), file))).code).toBe(code)
    const inner = model(['Here.'])
    const again = recorded(inner, file)
    if (asked === 1) expect(await said(again)).toBe('Here.')
    else expect((await failed(again)).toData()).toMatchObject({ code, message: 'No.' })
    expect(inner.requests).toHaveLength(asked)
  })

  test('auto asks again for a model that was not there', async () => {
    const gone = httpError({ provider: 'acme', status: 404, header: () => undefined, body: '{"error":{"code":"model_not_found"}}' })
    await failed(recorded({ ...nobody, stream: () => Promise.reject(gone) }, file))
    expect(await said(recorded(model(['Here.']), file))).toBe('Here.')
  })

  test('a call at once whose arguments are a text is replayed, and a finish that is none is not kept', async () => {
    const value = { type: 'tool-call' as const, callId: '', toolName: 'look', input: '{"a":1}' }
    const finish = { finishReason: 'tool-calls' as const, usage: noUsage }
    await ask(recorded(speaking([{ type: 'part', part: 0, value }], finish), file)).finish
    const replayed = ask(recorded(nobody, file, { mode: 'replay' }))
    await replayed.finish
    expect(replayed.deltas).toEqual([{ type: 'part', part: 0, value }])
    const before = readFileSync(file, 'utf8')
    const odd = { ...nobody, stream: () => Promise.resolve(undefined) } as unknown as Model
    expect(await ask(recorded(odd, file), { request: request('odd') }).finish).toBeUndefined()
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  test('an abort is no answer, nor is a mistake of an adapter', async () => {
    const { model: slow, calls } = held()
    const stopped = ask(recorded(slow, file, { mode: 'record' }))
    while (calls.length === 0) await new Promise((resolve) => setImmediate(resolve))
    stopped.stop(new RondoError('RunAborted', 'Enough.'))
    calls[0]?.fail(new RondoError('ModelServerError', 'cut'))
    await refusal(stopped.finish)
    const broken: Model = { ...nobody, stream: () => Promise.reject(new TypeError('mine')) }
    await expect(ask(recorded(broken, file, { mode: 'record' })).finish).rejects.toThrow('mine')
    expect(readdirSync(join(file, '..'))).toEqual([])
  })

  test('a run of an agent with tools, in full', async () => {
    const look = plainTool('look', () => 'a door')
    const script = [{ calls: [{ name: 'look', input: {} }], text: 'I look.' }, 'A door.']
    const events = async (one: Model) => story(await collect(new Agent({ model: one, tools: [look] }).stream('What is there?')))
    const first = await events(recorded(model(script), file))
    expect(await events(recorded(nobody, file, { mode: 'replay' }))).toEqual(first)
    const result = await new Agent({ model: recorded(nobody, file, { mode: 'replay' }), tools: [look] }).run('What is there?')
    expect(lines(result.messages)).toEqual(['user: What is there?', 'assistant: I look. look{}→ok:a door', 'assistant: A door.'])
  })
})

describe('recorded: how a request is found', () => {
  test('by what it says, in any order; the same again gets the next answer', async () => {
    const texts = ['a', 'b', 'a', 'c']
    const first = recorded(model(['a1', 'b1', 'a2', 'c1']), file)
    for (const text of texts) await saidTo(first, request(text))
    const again = recorded(nobody, file, { mode: 'replay' })
    const answers = await Promise.all(['c', 'a', 'b', 'a'].map((text) => saidTo(again, request(text))))
    expect(answers).toEqual(['c1', 'a1', 'b1', 'a2'])
    const error = await refusal(ask(again, { request: request('a') }).finish)
    expect(error.message).toMatch(/\(main, 1 message\): it was asked 3 times, and 2 answers are recorded\. To record it/)
  })

  test('ids, retries and time limits make no difference; settings, tools, instructions, purpose and model do', async () => {
    await said(recorded(model(['x']), file))
    const found = (asked: ModelRequest, id = 'm') => ask(recorded(model([], id), file, { mode: 'replay' }), { request: asked }).finish
    const base = request()
    await found({
      ...base,
      settings: { maxRetries: 9, timeoutMs: 5 },
      messages: [...base.messages].map((message) => ({ ...message, id: 'e_1' })),
    })
    for (const [other, what] of [
      [{ ...base, settings: { temperature: 1 } }, 'the settings: recorded {}, asked {"settings":{"temperature":1}}'],
      [{ ...base, instructions: 'Be brief.' }, 'the instructions: recorded "", asked "Be brief."'],
      [{ ...base, purpose: 'output' as const }, 'the purpose: recorded "main", asked "output"'],
      [{ ...base, tools: [plainTool('look', () => 1)] }, 'the tools: recorded [], asked [{'],
    ] as const)
      expect((await refusal(found(other))).message).toContain(`the one most like it differs in ${what}`)
    expect((await refusal(found(base, 'n'))).message).toContain('the model: recorded "acme:m", asked "acme:n"')
  })

  test('a miss says what differs from the nearest request, round the place, in bounded text', async () => {
    const long = 'word '.repeat(1_000)
    const story = (text: string): ModelRequest => ({
      ...request(),
      messages: ['Hello.', `${long}the door is ${text}.${long}`, 'And now?'].map((part) => ({
        role: 'user',
        parts: [{ type: 'text', text: part }],
      })),
    })
    const first = recorded(model(['1', '2']), file)
    await saidTo(first, request('Something else'))
    await saidTo(first, story('open'))
    const error = await refusal(ask(recorded(nobody, file, { mode: 'replay' }), { request: story('shut') }).finish)
    expect([error.code, error.retryable]).toEqual(['ModelBadRequest', false])
    expect(error.message).toMatch(/differs in message 2: recorded ….*the door is open\..*, asked ….*the door is shut\./)
    expect(error.message).not.toContain('message 1')
    expect(error.message.length).toBeLessThan(1_000)
  })

  test('`normalize` makes the same of what differs each time; the model is asked with the text as it was', async () => {
    const normalize = (text: string) => text.replace(/\d{4}-\d\d-\d\d/g, 'DATE')
    const inner = model(['x'])
    await saidTo(recorded(inner, file, { normalize }), request('Today is 2026-01-01.'))
    expect([...(inner.requests[0]?.messages ?? [])][0]?.parts).toEqual([{ type: 'text', text: 'Today is 2026-01-01.' }])
    expect(readFileSync(file, 'utf8')).toContain('Today is DATE.')
    expect(await saidTo(recorded(nobody, file, { mode: 'replay', normalize }), request('Today is 2027-12-31.'))).toBe('x')
  })
})

describe('recorded: the file', () => {
  test('is one line a thing: pieces once, requests by digests, answers behind them', async () => {
    await said(recorded(model([{ text: 'Hello', chunk: 3 }]), file))
    expect(rows().map((row) => Object.keys(row)[0])).toEqual(['recording', 'piece', 'piece', 'piece', 'request', 'answer'])
    expect(rows().at(-1)).toEqual({
      answer: rows().at(-2).request,
      deltas: [{ type: 'text', part: 0, text: ['Hel', 'lo'] }],
      finish: { finishReason: 'stop', usage: { ...noUsage, inputTokens: 10, outputTokens: 5 } },
    })
  })

  test('has the same bytes whatever the order in which answers came', async () => {
    const texts = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 2 })
    await fc.assert(
      fc.asyncProperty(texts, async (order) => {
        const record = async (path: string, list: readonly string[]) => {
          const echo = recorded(model(list.map(() => (asked) => lines(asked.messages).join())), path)
          for (const text of list) await saidTo(echo, request(text))
          return readFileSync(path, 'utf8')
        }
        const folder = mkdtempSync(join(tmpdir(), 'rondo-recorded-'))
        expect(await record(join(folder, 'one'), order)).toBe(await record(join(folder, 'other'), order.toSorted()))
      }),
      { numRuns: 30 },
    )
  })

  test('holds no key: neither of a request, nor of an answer, whole or in pieces', async () => {
    const key = 'sk-abcdef0123456789'
    const first = recorded(model([{ text: `The key is ${key}.`, chunk: 4 }]), file)
    await saidTo(first, request(`Use ${key}`))
    expect(readFileSync(file, 'utf8')).not.toContain('abcdef0123456789')
    expect(await saidTo(recorded(nobody, file, { mode: 'replay' }), request(`Use ${key}`))).toBe('The key is sk-***.')
  })

  test.each([
    [{ password: 'hunter22secret' }],
    [{ secret: 12_345_678, apiKey: 'none' }],
    [{ headers: [{ authorization: 'Basic abcdefg1=' }], note: 'token sk-abcdef0123456789' }],
  ])('masked arguments stay JSON, and the run goes on after a replay as it did: %j', async (input) => {
    const login = plainTool('login', () => 'ok')
    const text = JSON.stringify({ said: input }, undefined, 2)
    const run = (one: Model) => new Agent({ model: one, tools: [login] }).run('Log in', { throwOnError: false })
    const script = [{ calls: [{ name: 'login', input }], text }, { calls: [{ name: 'login', input: {} }] }, 'Done.']
    expect((await run(recorded(model(script), file))).text).toBe('Done.')
    expect(readFileSync(file, 'utf8')).not.toMatch(/hunter22|abcdefg1|abcdef0123/)
    expect(await run(recorded(nobody, file, { mode: 'replay' }))).toMatchObject({ status: 'completed', text: 'Done.' })
  })

  test('a key that comes in pieces between pieces of another part is masked too', async () => {
    const deltas: ModelDelta[] = ['sk-abc', 'def012', '3456789 it is.'].flatMap((text): ModelDelta[] => [
      { type: 'text', part: 1, text },
      { type: 'reasoning', part: 0, text: 'hm ' },
    ])
    const finish = { finishReason: 'stop' as const, usage: noUsage }
    await ask(recorded(speaking(deltas, finish), file)).finish
    const replayed = ask(recorded(nobody, file, { mode: 'replay' }))
    await replayed.finish
    expect(replayed.deltas.filter(({ type }) => type === 'text')).toEqual([{ type: 'text', part: 1, text: 'sk-*** it is.' }])
    expect(replayed.deltas.filter(({ type }) => type === 'reasoning')).toHaveLength(3)
  })

  test('large media is told by its digest', async () => {
    const image = { type: 'image' as const, mediaType: 'image/png', data: 'A'.repeat(10_000) }
    const asked: ModelRequest = { ...request(), messages: [{ role: 'user', parts: [image] }] }
    await saidTo(recorded(model(['x']), file), asked)
    expect(readFileSync(file, 'utf8').length).toBeLessThan(1_500)
    expect(await saidTo(recorded(nobody, file, { mode: 'replay' }), asked)).toBe('x')
  })

  test('two models on one file lose nothing of each other', async () => {
    const texts = ['a', 'b', 'c', 'd', 'e', 'f']
    await Promise.all(
      texts.map((text) => saidTo(recorded(model([text], text), file, { mode: text < 'd' ? 'auto' : 'record' }), request(text))),
    )
    for (const text of texts) expect(await saidTo(recorded(model([], text), file, { mode: 'replay' }), request(text))).toBe(text)
    expect(readdirSync(join(file, '..'))).toEqual(['answers.jsonl'])
  })

  test.each([
    ['{"recording":1}\n<<<<<<< ours\n', 'line 2 is no JSON object'],
    ['{"recording":2}\n', 'line 1 is of version 2, and this is for version 1'],
    ['{"recording":1}\n\n{"what":1}\n', 'line 3 is neither a piece nor a request nor an answer'],
    ['{"recording":1}\n{"request":"x"}\n', 'line 2 is no request'],
    ['{"answer":"x","deltas":[],"finish":{"finishReason":"stop","usage":{}}}\n', 'line 1 answers a request that is not told before it'],
    ['{"answer":"x","deltas":[{"type":"text","part":0}],"finish":{"finishReason":"stop","usage":{}}}\n', 'line 1 is no answer'],
  ])('damaged, it is refused in every mode by its line, and stays as it is: %j', async (text, what) => {
    writeFileSync(file, text)
    const inner = model(['x', 'x'])
    for (const mode of ['auto', 'replay', 'record'] as const) {
      const error = await failed(recorded(inner, file, { mode }))
      expect([error.code, error.message]).toEqual([
        'ConfigInvalid',
        `The recording ${file} is damaged: ${what}. Nothing was changed: mend the line, or delete the file and record it anew.`,
      ])
    }
    expect([readFileSync(file, 'utf8'), inner.requests.length]).toEqual([text, 0])
  })

  test('that can’t be written is told, and leaves nothing behind', async () => {
    writeFileSync(join(file, '..', 'plain'), '')
    const path = join(file, '..', 'plain', 'answers.jsonl')
    const error = await failed(recorded(model(['x']), path))
    expect([error.code, error.message]).toEqual([
      'ConfigInvalid',
      expect.stringMatching(/^The recording .* could not be (read|written): ENOTDIR/),
    ])
  })
})

describe('recorded: modes', () => {
  test('auto replays what there is, and asks for the rest', async () => {
    await saidTo(recorded(model(['a1']), file), request('a'))
    const inner = model(['b1'])
    const both = recorded(inner, file)
    expect([await saidTo(both, request('a')), await saidTo(both, request('b')), inner.requests.length]).toEqual(['a1', 'b1', 1])
    expect(rows().filter((row) => 'answer' in row)).toHaveLength(2)
  })

  test('record asks anew, in the place of the old answers; others stay', async () => {
    const first = recorded(model(['a1', 'a2', 'b1']), file)
    for (const text of ['a', 'a', 'b']) await saidTo(first, request(text))
    const anew = recorded(model(['A1', 'A2']), file, { mode: 'record' })
    for (const text of ['a', 'a']) await saidTo(anew, request(text))
    const replay = recorded(nobody, file, { mode: 'replay' })
    const answers = []
    for (const text of ['a', 'a', 'b']) answers.push(await saidTo(replay, request(text)))
    expect(answers).toEqual(['A1', 'A2', 'b1'])
  })

  test.each(['true', '1', 'yes'])('in CI (CI=%s) nothing is recorded', async (value) => {
    vi.stubEnv('CI', value)
    const inner = model(['x'])
    expect((await failed(recorded(inner, file))).message).toMatch(/: there is no such file\. To record it, run this outside of CI/)
    expect(thrown(() => recorded(inner, file, { mode: 'record' })).message).toMatch(/^recorded: mode 'record' is refused in CI/)
    expect(inner.requests).toHaveLength(0)
  })

  test.each(['', '0', 'false'])('CI=%j is no CI', async (value) => {
    vi.stubEnv('CI', value)
    expect(await said(recorded(model(['x']), file))).toBe('x')
  })

  test('a replay can be aborted, and a miss in a run is its error', async () => {
    await said(recorded(model(['x']), file))
    const stopped = ask(recorded(nobody, file, { mode: 'replay' }))
    stopped.stop(new RondoError('RunAborted', 'Enough.'))
    expect((await refusal(stopped.finish)).message).toBe('Enough.')
    expect(stopped.deltas).toEqual([])
    const agent = new Agent({ model: recorded(nobody, file, { mode: 'replay' }) })
    const result = await agent.run('Not there', { throwOnError: false })
    expect(result.status === 'failed' && result.error.message).toContain('has no answer to this request')
  })

  test('options that can’t work are refused', () => {
    const bad = (...args: unknown[]) => thrown(() => Reflect.apply(recorded, undefined, args)).message
    expect(bad({}, file)).toBe('recorded: the first argument must be a model, as openaiChat() makes one.')
    expect(bad(nobody, '')).toBe('recorded: the second argument must be the path of a file.')
    expect(bad(nobody, file, { mode: 'play' })).toBe("recorded: mode must be 'record', 'replay' or 'auto', not 'play'.")
    expect(bad(nobody, file, { mood: 1 })).toBe("recorded: unknown option 'mood': did you mean 'mode'?")
  })
})
