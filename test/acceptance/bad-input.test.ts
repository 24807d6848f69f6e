import { describe, expect, test } from 'vitest'
import { Agent, type Decision, type Input, type RunOptions, tool } from '../../src/index.ts'
import { scripted } from '../../src/testing/index.ts'
import { agentIn, collect, deepFreeze, end, lines, noInput, plainTool, refusal, scriptedLab, thrown } from './kit.ts'

const model = scripted([])
const look = plainTool('look', () => 1)

/** What `new Agent` says about options that come from JavaScript. */
function refused(options: object): string {
  const error = thrown(() => Reflect.construct(Agent, [options]))
  expect([error.code, error.category, error.retryable]).toEqual(['ConfigInvalid', 'config', false])
  return error.message
}

describe('options of an agent', () => {
  test.each<[string, object, string]>([
    ['an unknown one', { model, colour: 1 }, "unknown option 'colour'"],
    ['a misspelt one', { model, instrutions: '' }, "unknown option 'instrutions': did you mean 'instructions'?"],
    ['one in another case', { model, maxparallel: 1 }, "did you mean 'maxParallel'?"],
    ...(
      [
        ['maxSteps', 'limits.maxIterations'],
        ['maxTurns', 'limits.maxIterations'],
        ['recursionLimit', 'limits.maxIterations'],
        ['system', 'instructions'],
        ['systemPrompt', 'instructions'],
        ['parameters', 'inputSchema (of a tool)'],
        ['abortSignal', 'signal (of a run)'],
        ['prepareStep', 'hooks.beforeModel'],
        ['responseFormat', 'output'],
        ['temperature', 'settings.temperature'],
        ['maxRetries', 'settings.maxRetries'],
        ['checkpointer', 'store'],
        ['functions', 'tools'],
      ] as const
    ).map(([word, ours]): [string, object, string] => [
      `a peer's word: ${word}`,
      { model, [word]: 1 },
      `unknown option '${word}': did you mean '${ours}'?`,
    ]),
    ['a name of Object.prototype', { model, constructor: 1 }, "unknown option 'constructor'"],
    ['an unknown limit', { model, limits: { maxSteps: 3 } }, "unknown option 'limits.maxSteps': did you mean 'limits.maxIterations'?"],
    ['an unknown setting', { model, settings: { max_tokens: 3 } }, "unknown option 'settings.max_tokens'"],
    ['an unknown policy', { model, policies: { grace: 3 } }, "unknown option 'policies.grace'"],
    ['no model', {}, 'model is missing: give a model'],
    [
      'a model that is none',
      { model: 'gpt-5' },
      "model must be what a function like openai('gpt-5-mini') of 'rondo/openai' returns, and is the text 'gpt-5'",
    ],
    [
      'a function that makes one',
      { model: () => model },
      "returns, and is a function: call it with the name of the model, as local('qwen3')",
    ],
    ['two tools of one name', { model, tools: [look, look] }, "two tools are named 'look': names must differ"],
    ['a tool that is none', { model, tools: [{ name: 'x' }] }, 'tools[0] is no tool: make it with tool({ … })'],
    ['tools that are no list', { model, tools: { look } }, 'tools must be a list of tools'],
    ['a store that is none', { model, store: {} }, 'store has no append(): it is no store'],
    ['instructions that are none', { model, instructions: 5 }, 'instructions must be a text or a function that returns one'],
    ['a word that is none', { model, onBusy: 'wait' }, `onBusy must be 'reject', 'queue', 'steer', 'interrupt', not "wait"`],
    [
      'a limit word that is none',
      { model, limits: { onLimit: 'throw' } },
      `onLimit must be 'summarize', 'error', 'incomplete', not "throw"`,
    ],
    ['limits that are no object', { model, limits: 5 }, 'limits must be an object'],
    ['a name that is no text', { model, name: 5 }, 'name must be a text that is not empty'],
    ['an empty name', { model, name: '' }, 'name must be a text that is not empty'],
    ['a version that is no text', { model, version: 2 }, 'version must be a text that is not empty'],
    ['a reporter that is no function', { model, onObserverError: 'log' }, 'onObserverError must be a function'],
    ['a world that is none', { model, world: {} }, 'world needs a clock, id() and random()'],
    ['dependencies that are no list', { model, dependencies: {} }, 'dependencies must be a list'],
    ['a dependency that is none', { model, dependencies: [5] }, 'dependencies[0] is no dependency: make it with dependency().with()'],
    [
      'a temperature that is no number',
      { model, settings: { temperature: 'hot' } },
      'settings.temperature must be a number from 0 on, not hot',
    ],
    ['a topP over 1', { model, settings: { topP: 2 } }, 'settings.topP must be a number from 0 to 1, not 2'],
    ['a seed that is no whole number', { model, settings: { seed: 0.5 } }, 'settings.seed must be a whole number, not 0.5'],
    ['stop words that are no list', { model, settings: { stop: 'END' } }, 'settings.stop must be a list of texts'],
    ['a stop word that is no text', { model, settings: { stop: [5] } }, 'settings.stop must be a list of texts'],
    [
      'an effort nobody knows',
      { model, settings: { reasoning: 'max' } },
      "settings.reasoning must be 'none', 'low', 'medium', 'high', not \"max\"",
    ],
    ['provider options that are a text', { model, settings: { providerOptions: 'x' } }, 'settings.providerOptions must be an object'],
    [
      'provider options that name no provider',
      { model, settings: { providerOptions: { store: true } } },
      'settings.providerOptions.store must be an object: options stand behind the name of their provider, as { openai: { … } }',
    ],
    [
      'a forced tool that is not there',
      { model, tools: [look], toolChoice: { tool: 'lock' } },
      "toolChoice names 'lock', and there is no such tool: there is 'look'",
    ],
    ['a forced tool where there is none', { model, toolChoice: { tool: 'look' } }, "toolChoice names 'look', and there is no such tool"],
  ])('%s', (_name, options, message) => {
    expect(refused(options)).toContain(message)
  })

  test.each([0, -1, Number.NaN, '5', null])('limits that are %j are refused by name', (value) => {
    const names = ['maxIterations', 'maxToolRounds', 'maxToolCalls', 'maxCallsPerTool', 'maxDurationMs', 'maxTokens', 'maxCostUsd']
    const rest = ['maxConsecutiveErrors', 'timeSliceMs', 'maxContextTokens']
    for (const name of [...names, ...rest])
      expect(refused({ model, limits: { [name]: value } })).toContain(`limits.${name} must be a positive number, not ${value}`)
    expect(refused({ model, maxParallel: value })).toContain('maxParallel must be a positive number')
    expect(refused({ model, settings: { timeoutMs: value } })).toContain('settings.timeoutMs must be a positive number')
    expect(refused({ model, policies: { graceMs: value } })).toContain('policies.graceMs must be a positive number')
  })

  test.each<[string, object, string]>([
    ['settings.maxRetries', { settings: { maxRetries: Number.NaN } }, 'settings.maxRetries must be a whole number from 0 on, not NaN'],
    ['settings.maxRetries', { settings: { maxRetries: -1 } }, 'settings.maxRetries must be a whole number from 0 on, not -1'],
    ['policies.retry', { policies: { retry: { baseMs: Number.NaN } } }, 'policies.retry.baseMs must be a number of ms, 0 or more, not NaN'],
    ['policies.retry', { policies: { retry: { retries: 3 } } }, "unknown option 'policies.retry.retries'"],
    [
      'policies.toolResult',
      { policies: { toolResult: { maxBytes: -5 } } },
      'policies.toolResult.maxBytes must be a positive number, not -5',
    ],
    [
      'policies.emptyResponse',
      { policies: { emptyResponse: { retries: 0.5 } } },
      'policies.emptyResponse.retries must be a whole number from 0 on',
    ],
    ['policies.noProgress', { policies: { noProgress: 0 } }, 'policies.noProgress must be a positive number or false, not 0'],
    ['policies.durability', { policies: { durability: 'maybe' } }, "policies.durability must be 'strict', 'best-effort'"],
    ['policies.toolFailureMode', { policies: { toolFailureMode: 'stop' } }, "policies.toolFailureMode must be 'continue', 'fail'"],
    ['policies.approvalTiming', { policies: { approvalTiming: 'later' } }, "policies.approvalTiming must be 'verdicts', 'answers'"],
    ['policies.errorText', { policies: { errorText: 'oops' } }, 'policies.errorText must be a function'],
  ])('%s that can not work is refused before anything runs', (_name, options, message) => {
    expect(refused({ model, ...options })).toContain(message)
  })

  test('everything that is wrong is said at once', () => {
    expect(refused({ maxSteps: 1, tools: [look, look], limits: { maxTokens: 0 } })).toBe(
      "new Agent: unknown option 'maxSteps': did you mean 'limits.maxIterations'?; model is missing: give a model, for example offline() from " +
        "'rondo/offline'; limits.maxTokens must be a positive number, not 0; two tools are named 'look': names must differ.",
    )
  })

  test('a schema without its JSON half is refused where the tool is made, with the way out', () => {
    const half = { '~standard': { version: 1, vendor: 'half', validate: (value: unknown) => ({ value }) } }
    const error = thrown(() => Reflect.apply(tool, undefined, [{ name: 'x', description: 'x', inputSchema: half, execute: () => 1 }]))
    expect([error.code, error.message.includes('both standard halves')]).toEqual(['ConfigInvalid', true])
  })
})

describe('options of a run', () => {
  const place = scriptedLab(['ok'])
  const agent = agentIn(place, { tools: [look] })
  test.each<[string, object, string]>([
    ["a peer's word", { abortSignal: 1 }, "unknown option 'abortSignal': did you mean 'signal (of a run)'?"],
    ["a peer's word", { sessionId: 's' }, "unknown option 'sessionId': did you mean 'session'?"],
    ['an option of the agent', { tools: [] }, "unknown option 'tools'"],
    ['an empty session', { session: '' }, 'session must be a text of 1 to 512 characters'],
    ['a session that is no text', { session: 7 }, 'session must be a text of 1 to 512 characters'],
    ['an endless session name', { session: 'x'.repeat(513) }, 'session must be a text of 1 to 512 characters'],
    ['an empty run id', { runId: '' }, 'runId must be a text of 1 to 512 characters'],
    ['a signal that is none', { signal: {} }, 'signal must be an AbortSignal'],
    ['a model that is none', { model: {} }, 'returns, and is of type object'],
    ['a negative wait', { parkAfterMs: -1 }, 'parkAfterMs must be a number of ms, 0 or more'],
    ['a wait that is no number', { parkAfterMs: Number.NaN }, 'parkAfterMs must be a number of ms, 0 or more'],
    ['a tool that is allowed and not there', { allowedTools: ['lock'] }, "allowedTools names 'lock', and there is no such tool"],
    ['a tool that is allowed twice', { allowedTools: ['look', 'look'] }, "allowedTools names 'look' twice"],
    ['allowed tools that are no list', { allowedTools: 'look' }, 'allowedTools must be a list of names'],
    ['an extra tool of the same name', { extraTools: [look] }, "two tools are named 'look': names must differ"],
    ['a limit of nothing', { limits: { maxIterations: 0 } }, 'limits.maxIterations must be a positive number, not 0'],
    ['metadata that JSON can not say', { metadata: { n: 1n } }, 'metadata must be a plain JSON object'],
    ['metadata that is no object', { metadata: 'x' }, 'metadata must be a plain JSON object'],
    ['a choice of tools that is none', { toolChoice: 'banana' }, "toolChoice must be 'auto', 'none', 'required' or { tool: name }"],
    ['a choice of tools in a list', { toolChoice: ['auto'] }, "toolChoice must be 'auto', 'none', 'required' or { tool: name }"],
    ['a stop condition that is no function', { stopWhen: 5 }, 'stopWhen must be a function or a list of functions'],
    ['settings that JSON can not say', { settings: { providerOptions: { x: { n: 1n } } } }, 'settings must be plain JSON'],
    ['a limit that does nothing yet', { limits: { maxContextTokens: 5 } }, "'limits.maxContextTokens'"],
    ['detach that is no yes or no', { detach: 'yes' }, 'detach must be true or false'],
    ['throwOnError that is no yes or no', { throwOnError: 0 }, 'throwOnError must be true or false'],
    ['options that are no object', 7 as unknown as object, 'must be an object'],
  ])('%s: run, stream and resume say so, and no session exists', async (_name, options, message) => {
    const given = options as RunOptions<readonly [typeof look], undefined, unknown>
    const error = await refusal(agent.run('Hi', given))
    expect([error.code, error.message]).toEqual(['ConfigInvalid', expect.stringContaining(message)])
    expect(thrown(() => agent.stream('Hi', given)).message).toBe(error.message)
    // What names a run, or says how it begins, is no word for going on with one: there it is unknown.
    const ofTheBeginning = Object.keys(given).some((key) => ['session', 'runId', 'metadata'].includes(key))
    const resumed = thrown(() => agent.resume('s', given as object)).message
    expect(resumed).toEqual(ofTheBeginning ? expect.stringContaining('unknown option') : error.message)
    expect([place.model.requests.length, await place.store.list()]).toEqual([0, []])
  })
})

describe('a forced tool must be one of those that the run has', () => {
  const lock = plainTool('lock', () => 1)
  const agent = agentIn(scriptedLab(['ok', 'ok', 'ok', 'ok']), { tools: [look, lock], toolChoice: { tool: 'look' } })
  test.each<[string, object, string]>([
    [
      'a name that is unknown',
      { toolChoice: { tool: 'peek' } },
      "toolChoice names 'peek', and there is no such tool: there is 'look', 'lock'",
    ],
    ['a name that is not allowed', { toolChoice: { tool: 'lock' }, allowedTools: ['look'] }, "names 'lock', and there is no such tool"],
    ["the agent's, which is not allowed", { allowedTools: ['lock'] }, "names 'look', and there is no such tool: there is 'lock'"],
    ['any, where none is allowed', { toolChoice: 'required', allowedTools: [] }, "toolChoice is 'required', and there is no tool"],
  ])('%s is refused by run and resume', async (_name, options, message) => {
    const error = await refusal(agent.run('Hi', options))
    expect([error.code, error.message]).toEqual(['ConfigInvalid', expect.stringContaining(message)])
    expect(thrown(() => agent.resume('s', options)).message).toBe(error.message)
  })

  test('a tool of the run can be forced, and the choice of the agent taken back', async () => {
    const peek = plainTool('peek', () => 1)
    expect((await agent.run('Hi', { extraTools: [peek], toolChoice: { tool: 'peek' } })).text).toBe('ok')
    expect((await agent.run('Hi', { allowedTools: ['lock'], toolChoice: 'auto' })).text).toBe('ok')
  })
})

test('answers are for resume: a list there, unknown to run', async () => {
  const agent = agentIn(scriptedLab(['ok']), { tools: [look] })
  expect(thrown(() => agent.resume('s', { decisions: 'x' } as object)).message).toBe('run options: decisions must be a list.')
  expect((await refusal(agent.run('Hi', { decisions: [] } as object))).message).toContain("unknown option 'decisions'")
})

test.each<[string, object, string]>([
  ['an unknown option', { afer: '5:0' }, "unknown option 'afer': did you mean 'after'?"],
  ['a run id that is none', { runId: 5 }, 'runId must be a text of 1 to 512 characters'],
])('attach with %s is refused', (_name, options, message) => {
  const error = thrown(() => agentIn(scriptedLab([])).attach('s', options))
  expect([error.code, error.message]).toEqual(['ConfigInvalid', expect.stringContaining(message)])
})

describe('what is undefined was not given', () => {
  test('in the options of a run: those of the agent hold', async () => {
    const look = plainTool('look', () => 1, 'read')
    const place = scriptedLab([{ calls: [{ name: 'look', input: {} }] }, 'ok', { calls: [{ name: 'look', input: {} }] }])
    const agent = agentIn(place, { tools: [look], settings: { temperature: 0.5 }, limits: { maxIterations: 1, onLimit: 'incomplete' } })
    const none = undefined as unknown as number
    const result = await place.clock.until(agent.run('Hi', { limits: { maxIterations: none }, settings: { temperature: none } }))
    expect([end(result), place.model.requests[0]?.settings]).toEqual(['incomplete max_iterations', { temperature: 0.5 }])
    const [request] = (await collect(place.store.load(result.sessionId))).filter((entry) => entry.kind === 'run.requested')
    expect(request?.data).toStrictEqual(JSON.parse(JSON.stringify(request?.data)))
  })

  test('in policies: the defaults hold', async () => {
    const none = undefined as unknown as number
    const place = scriptedLab([{ fail: { code: 'ModelServerError' } }, { calls: [{ name: 'look', input: {} }] }, 'ok'])
    const big = plainTool('look', () => 'x'.repeat(5_000_000), 'read')
    const policies = { retry: { baseMs: none, capMs: none }, toolResult: { maxStoredBytes: none } }
    const promise = agentIn(place, { tools: [big], policies }).run('Hi', { session: 's' })
    await place.clock.advance(100)
    expect(place.model.requests.length).toBe(1)
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setTimeout(resolve, 2)).then(() => place.clock.advance(20))
    expect(end(await promise)).toBe('completed completed')
    expect(JSON.stringify(await collect(place.store.load('s'))).length).toBeLessThan(200_000)
  })
})

test.each([['a word that is neither', { callId: 'm1.0', decision: 'maybe' }, "must be 'approve' or 'deny'"]])(
  'a decision of %s is refused, and the call still waits',
  async (_name, decision, message) => {
    const place = scriptedLab([{ calls: [{ name: 'ask', input: {} }] }])
    const ask = tool({ name: 'ask', description: 'Asks', inputSchema: noInput, needsApproval: true, execute: () => 1 })
    const agent = agentIn(place, { tools: [ask] })
    await place.clock.until(agent.run('Hi', { session: 's' }))
    const error = await refusal(agent.session('s').decide(decision as Decision))
    expect([error.code, error.message]).toEqual(['ConfigInvalid', expect.stringContaining(message)])
    expect(await agent.session('s').status()).toBe('awaiting_human')
  },
)

test('an agent of nothing is refused in words', () => {
  expect(thrown(() => Reflect.construct(Agent, [])).message).toContain('options are missing')
})

describe('input', () => {
  const text = (value: string) => ({ role: 'user', parts: [{ type: 'text', text: value }] })
  const call = { type: 'tool-call', callId: 'c', toolName: 'look', input: {} }
  test.each<[string, unknown, string]>([
    ['an empty text', '', 'it is empty'],
    ['white space', ' \n\t', 'it is empty'],
    ['an empty list', [], 'it must be a text, or a list'],
    ['nothing', undefined, 'it must be a text, or a list'],
    ['null', null, 'it must be a text, or a list'],
    ['a number', 7, 'it must be a text, or a list'],
    ['one message, no list', text('Hi'), 'it must be a text, or a list'],
    ['a list of texts', ['Hi'], 'a part is no object'],
    ['parts that are all blank', [{ type: 'text', text: ' ' }], 'it is empty'],
    ['a part of an unknown type', [{ type: 'video', data: 'x' }], "the unknown type 'video'"],
    ['a text part without text', [{ type: 'text' }], 'a text part has no text'],
    ['an image without data', [{ type: 'image' }], 'an image part needs data'],
    ['an image whose data is a number', [{ type: 'image', data: 7 }], 'an image part needs data'],
    [
      'a message of an unknown role',
      [{ role: 'system', parts: [{ type: 'text', text: 'x' }] }],
      "a message needs a role: 'user', 'assistant' or 'summary'",
    ],
    ['a message whose parts are a text', [{ role: 'user', parts: 'Hi' }], 'a message needs parts'],
    ["a message in a peer's shape", [{ role: 'user', content: 'Hi' }], 'a message needs parts'],
    ['a message without parts', [{ role: 'user', parts: [] }], 'a message needs parts'],
    ['a message that is blank', [text('  ')], 'it is empty'],
    ['a later message that is none', [text('Hi'), 'x'], 'a message needs a role'],
    ['parts and messages mixed', [{ type: 'text', text: 'x' }, text('Hi')], 'the unknown type'],
    ['a call of a user', [{ role: 'user', parts: [call] }], 'only an assistant message has calls'],
    ['a call without a name', [{ role: 'assistant', parts: [{ type: 'tool-call', input: {} }] }], 'a message needs parts'],
    ['a call whose input is a text', [{ role: 'assistant', parts: [{ ...call, input: 'x' }] }], 'a message needs parts'],
    ['a call with half a result', [{ role: 'assistant', parts: [{ ...call, settlement: { outcome: 'ok' } }] }], 'settlement'],
    [
      'a call with an unknown outcome',
      [{ role: 'assistant', parts: [{ ...call, settlement: { outcome: 'fine', output: 1 } }] }],
      'settlement',
    ],
    [
      'a call with an error that is none',
      [{ role: 'assistant', parts: [{ ...call, settlement: { outcome: 'error', error: 'x' } }] }],
      'settlement',
    ],
    [
      'bytes in a message',
      [{ role: 'user', parts: [{ type: 'image', mediaType: 'image/png', data: new Uint8Array(2) }] }],
      'give bytes as parts',
    ],
  ])('%s is refused by run, stream and send; the session is as it was', async (_name, bad, message) => {
    const place = scriptedLab(['one', 'two'])
    const agent = agentIn(place)
    await place.clock.until(agent.run('Hi', { session: 's' }))
    const before = await collect(place.store.load('s'))
    const error = await refusal(agent.run(bad as Input, { session: 's' }))
    expect([error.code, error.category, error.message]).toEqual(['ContextInvalidInput', 'context', expect.stringContaining(message)])
    expect((await refusal(agent.stream(bad as Input, { session: 's' }).result)).message).toBe(error.message)
    expect((await refusal(agent.session('s').send(bad as Input))).message).toBe(error.message)
    expect(await collect(place.store.load('s'))).toEqual(before)
    expect((await place.clock.until(agent.run('Go on', { session: 's' }))).text).toBe('two')
  })

  test('imported history with unanswered calls: they stand as skipped, answered ones as they were, ids are ours', async () => {
    const place = scriptedLab(['ok', 'ok'])
    const answered = { ...call, callId: 'd', settlement: { outcome: 'ok', output: [1] } } as const
    const history = deepFreeze([text('Earlier'), { role: 'assistant', parts: [call, answered] }, text('Hi')]) as unknown as Input
    const agent = agentIn(place)
    const result = await place.clock.until(agent.run(history, { session: 's' }))
    await place.clock.until(agent.run(history, { session: 's' }))
    expect(lines(place.model.requests[0]?.messages ?? [])).toEqual([
      'user: Earlier',
      'assistant: look{}→skipped:This call came with imported history, without a result; it was not run. look{}→ok:[1]',
      'user: Hi',
    ])
    const ids = [...(place.model.requests[1]?.messages ?? [])]
      .flatMap(({ parts }) => parts)
      .flatMap((part) => (part.type === 'tool-call' ? [part.callId] : []))
    expect([new Set(ids).size, ids.length, end(result), result.calls]).toEqual([4, 4, 'completed completed', []])
  })
})
