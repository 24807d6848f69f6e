import { describe, expect, test } from 'vitest'
import { fakeGemini } from '../../../src/testing/fake/gemini/index.ts'
import type { GeminiRules } from '../../../src/testing/fake/gemini/quirks.ts'
import { checkBody } from '../../../src/testing/fake/gemini/rules.ts'
import { checkRequest } from '../../../src/testing/fake/request.ts'
import { areOwn, describeWire, exchangesIn, misfits } from '../../setup/wire.ts'
import { call, calls, declared, request, result, results, rules, signed, talk, user } from './bad-requests.ts'

const head = (model: string) => ({ method: 'POST', path: `/v1beta/models/${model}:generateContent`, headers: {} })
const broken = (body: unknown, options: GeminiRules = {}, model = 'gemini-2.5-flash') =>
  checkRequest(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), (whole) => checkBody(whole, options, head(model)))
    .violations

describe('appendix B: each rule is enforced', () => {
  for (const [title, body, rule, words, options] of rules)
    test(title, () => {
      expect(broken(body, options)).toContainEqual(expect.objectContaining({ rule, message: expect.stringContaining(words) }))
    })

  test.each([
    ['gemini-3.7-flash', 'minimal'],
    ['gemini-3.1-pro-preview', 'minimal'],
    ['gemini-3-pro-preview', 'medium'],
  ])('%s does not think at level %s', (model, thinkingLevel) => {
    const found = broken(request({ generationConfig: { thinkingConfig: { thinkingLevel } } }), {}, model)
    expect(found).toContainEqual(expect.objectContaining({ rule: 'thinking' }))
  })
})

test.each([
  ['/v1beta/models/', { includeServerSideToolInvocations: true }, []],
  ['/v1beta/models/', { functionCallingConfig: { streamFunctionCallArguments: true } }, ['field']],
  ['/v1/projects/p/locations/eu/publishers/google/models/', { includeServerSideToolInvocations: true }, ['field']],
  ['/v1/projects/p/locations/eu/publishers/google/models/', { functionCallingConfig: { streamFunctionCallArguments: true } }, []],
])('at %s the configuration of tools is %j: either API has a field that the other does not know', (path, toolConfig, wanted) => {
  const body = JSON.stringify(request({ tools: declared({ name: 'a' }), toolConfig }))
  const at = { ...head(''), path: `${path}gemini-3-flash:generateContent` }
  expect(checkRequest(Buffer.from(body), (whole) => checkBody(whole, {}, at)).violations.map(({ rule }) => rule)).toEqual(wanted)
})

describe('a good request breaks no rule', () => {
  const schema = { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } }, required: ['a'] }

  test.each<[string, object, GeminiRules]>([
    ['a short one', request({}), {}],
    [
      'calls of an earlier turn without signatures',
      talk(user, calls(call()), results(result()), calls({ text: 'x' }), user),
      { isGemini3: true },
    ],
    [
      'parallel calls of which the first is signed',
      talk(user, calls(call('a', {}, signed), call('b')), results(result('a'), result('b'))),
      { isGemini3: true },
    ],
    [
      'all kinds of parts',
      talk(
        {
          role: 'user',
          parts: [
            { text: 'x' },
            { inlineData: { mimeType: 'image/png', data: 'AA==' } },
            { fileData: { fileUri: 'https://a.test/b.png' } },
          ],
        },
        calls(
          { text: 'hm', thought: true },
          { executableCode: { language: 'PYTHON', code: '1' } },
          { codeExecutionResult: { outcome: 'OUTCOME_OK' } },
        ),
        user,
      ),
      {},
    ],
    [
      'options',
      request({
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        tools: declared(
          { name: 'a.b-c', description: 'd', parametersJsonSchema: schema },
          { name: 'old', parameters: { type: 'OBJECT', properties: { x: { type: 'STRING', nullable: true } } } },
        ),
        toolConfig: { functionCallingConfig: { mode: 'VALIDATED', allowedFunctionNames: ['old'] } },
        generationConfig: { temperature: 0, topP: 1, topK: 40, seed: -1, thinkingConfig: { thinkingBudget: -1, includeThoughts: true } },
        safetySettings: [],
      }),
      {},
    ],
    [
      'functions beside tools of the provider, and a schema of the output, for a newer model',
      request({
        tools: [...declared({ name: 'a' }), { googleSearch: {} }],
        toolConfig: { includeServerSideToolInvocations: true },
        generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema },
      }),
      { isGemini3: true },
    ],
  ])('%s', (_title, body, options) => {
    expect(broken(body, options)).toEqual([])
  })
})

test('a bad request is refused in the shape of the real server, is kept, and uses up no reply', async () => {
  await using server = await fakeGemini(['hello'], { apiKey: 'right' })
  const post = (body: unknown, key = 'right', path = 'models/gemini-3-flash:generateContent') =>
    fetch(`${server.url}/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', 'x-goog-api-key': key },
    })
  const bad = await post(talk(user, results(result())))
  expect([bad.status, await bad.json()]).toEqual([
    400,
    {
      error: {
        code: 400,
        message: 'Please ensure that function response turn comes immediately after a function call turn.',
        status: 'INVALID_ARGUMENT',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.BadRequest',
            fieldViolations: [
              {
                field: 'contents[1]',
                description: 'Please ensure that function response turn comes immediately after a function call turn.',
              },
            ],
          },
        ],
      },
    },
  ])
  expect([(await post(request({}), 'wrong')).status, (await post(request({}), 'right', 'models/x:countTokens')).status]).toEqual([400, 404])
  expect(server.violations.map(({ rule }) => rule)).toEqual(['pairing', 'key', 'url'])
  expect(await (await post(request({}))).json()).toMatchObject({
    candidates: [{ content: { parts: [{ text: 'hello' }], role: 'model' }, finishReason: 'STOP' }],
  })
})

describe('how it answers', () => {
  async function bytes(path: string, quirks = {}, more = {}): Promise<[string, string | null]> {
    const calls = [{ name: 'look', input: { a: ['x', { b: 1 }] }, id: 'c1' }]
    await using server = await fakeGemini([{ reasoning: 'hm', text: ['Hel', 'lo'], calls, ...more }], { quirks })
    const body = JSON.stringify(request({}))
    const response = await fetch(`${server.url}/models/${path}`, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    return [await response.text(), response.headers.get('content-type')]
  }

  const parts = (text: string) =>
    (JSON.parse(text) as { candidates: { content?: { parts: object[] } }[] }[]).flatMap(
      ({ candidates: [candidate] }) => candidate?.content?.parts ?? [],
    )
  const eventsIn = (text: string) =>
    `[${text
      .split(/\r?\n\r?\n/)
      .flatMap((one) => (one === '' ? [] : [one.slice(6)]))
      .join(',')}]`

  test('as events with alt=sse, as a list without, at once otherwise', async () => {
    const [sse, sseType] = await bytes('gemini-2.5-flash:streamGenerateContent?alt=sse')
    const [list, listType] = await bytes('gemini-2.5-flash:streamGenerateContent')
    const [whole, wholeType] = await bytes('gemini-2.5-flash:generateContent')
    expect([sseType, listType, wholeType]).toEqual(['text/event-stream', 'application/json; charset=UTF-8', 'application/json'])
    expect(sse).toContain('\r\n\r\n')
    expect(parts(eventsIn(sse))).toEqual(parts(list))
    const call = { functionCall: { id: 'c1', name: 'look', args: { a: ['x', { b: 1 }] } } }
    expect(parts(list)).toEqual([{ text: 'hm', thought: true }, { text: 'Hel' }, { text: 'lo' }, call, { text: '' }])
    expect(parts(`[${whole}]`)).toEqual([{ text: 'hm', thought: true }, { text: 'Hello' }, call])
  })

  test('quirks: arguments in pieces, no ids, reasons as numbers, signatures on calls and at the end', async () => {
    const path = 'gemini-2.5-flash:streamGenerateContent'
    const [pieces] = await bytes(path, { partialArgs: true, ids: false, finish: 'number', finishIn: 'bare', usage: 'last' })
    expect(parts(pieces).slice(3)).toEqual([
      { functionCall: { name: 'look', willContinue: true } },
      { functionCall: { partialArgs: [{ jsonPath: '$.a[0]', stringValue: 'x', willContinue: true }], willContinue: true } },
      { functionCall: { partialArgs: [{ jsonPath: '$.a[0]', stringValue: '' }], willContinue: true } },
      { functionCall: { partialArgs: [{ jsonPath: '$.a[1].b', numberValue: 1 }], willContinue: true } },
      { functionCall: {} },
    ])
    const values = JSON.parse(pieces) as { usageMetadata?: object; candidates: [{ finishReason?: unknown }] }[]
    expect(values.map(({ usageMetadata }) => usageMetadata !== undefined)).toEqual([...Array(values.length - 1).fill(false), true])
    expect(values.at(-1)?.candidates[0].finishReason).toBe(1)
    const [signedCall] = await bytes('gemini-3-flash:streamGenerateContent')
    expect(parts(signedCall)[3]).toHaveProperty('thoughtSignature')
    const [end] = await bytes('gemini-3-flash:streamGenerateContent', { signatures: 'end' }, { calls: [] })
    expect(parts(end)[3]).toEqual({ text: '', thoughtSignature: expect.any(String) })
  })
})

describeWire('what real servers took, the rules take', (folder) => {
  const taken = exchangesIn(folder, { api: 'gemini-generate-content', status: (status) => status === 200 }).filter(
    ({ meta }) => meta.request,
  )

  /** Real servers take both spellings of a name. */
  function camel(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(camel)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key.replace(/_([a-z])/g, (_, one: string) => one.toUpperCase()), camel(inner)]),
    )
  }

  test('turns, calls and results, roles, parts', () => {
    const left = taken.flatMap((one) => broken(camel(one.request()), {}, one.meta.model).map((found) => ({ ...found, name: one.name })))
    const told = left.filter(({ rule }) => /^(?:pairing|order|role|unicode|contents)$/.test(rule))
    expect(misfits('turns, calls and results that Gemini took and the rules refuse', told)).toEqual([])
    expect(taken.length > 0 || !areOwn()).toBe(true)
  })
})
