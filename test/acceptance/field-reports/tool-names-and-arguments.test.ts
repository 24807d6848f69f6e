import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { tool } from '../../../src/index.ts'
import { agentIn, asks, end, journal, lines, noInput, otherProcess, plainTool, scriptedLab } from '../kit.ts'

const weather = tool({
  name: 'get_weather',
  description: 'Weather',
  effect: 'read',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `sunny in ${city}`,
})

describe('a name that no tool has', () => {
  test('B023 an unknown tool is an error result with the names that exist; its sibling runs and the loop goes on', async () => {
    const place = scriptedLab([
      {
        calls: [
          { name: 'get_wether', input: { city: 'Rome' } },
          { name: 'get_weather', input: { city: 'Oslo' } },
        ],
      },
      'Oslo is sunny.',
    ])
    const agent = agentIn(place, { tools: [weather] })
    const result = await place.clock.until(agent.run('Hi', { session: 's' }))
    expect(end(result)).toBe('completed completed')
    expect(lines(result.messages)).toEqual([
      'user: Hi',
      `assistant: get_wether{"city":"Rome"}→invalid:There is no tool named 'get_wether'. Available tools: get_weather. get_weather{"city":"Oslo"}→ok:sunny in Oslo`,
      'assistant: Oslo is sunny.',
    ])
    expect(await journal(place.store, 's')).toEqual([
      'session',
      'run.requested',
      'run.claimed',
      'model.started 1.1',
      'model.responded 1.1 tool-calls',
      'call.settled m1.0 invalid',
      'call.prepared m1.1',
      'call.started m1.1',
      'call.settled m1.1 ok',
      'model.started 2.1',
      'model.responded 2.1 stop',
      'run.finished completed completed',
    ])
  })

  test('B023 the list of names is bounded, and an endless name is cut', async () => {
    const many = Array.from({ length: 80 }, (_, index) => plainTool(`tool_${index}`, () => 1, 'read'))
    const place = scriptedLab([asks('x'.repeat(10_000)), 'ok'])
    const result = await place.clock.until(agentIn(place, { tools: many }).run('Hi'))
    const message = result.calls[0]?.outcome === 'ok' ? '' : (result.calls[0]?.error.message ?? '')
    expect(message).toContain('tool_49, ….')
    expect(message).not.toContain('tool_50')
    expect(message.length).toBeLessThan(1_000)
  })

  test('B023 a model that goes on calling what is not there is bounded by the steps', async () => {
    let turn = 0
    const wrong = () => ({ calls: [{ name: 'get_wether', input: { turn: turn++ } }] })
    const place = scriptedLab([wrong, wrong, wrong, 'I give up.'])
    const result = await place.clock.until(agentIn(place, { tools: [weather], limits: { maxIterations: 3 } }).run('Hi'))
    expect([end(result), result.text, result.calls.map((call) => call.outcome)]).toEqual([
      'incomplete max_iterations',
      'I give up.',
      ['invalid', 'invalid', 'invalid'],
    ])
  })

  test("B023 with unknownTool: 'fail' the run fails, and the sibling still has its result", async () => {
    const place = scriptedLab([
      {
        calls: [
          { name: 'get_weather', input: { city: 'Oslo' } },
          { name: 'nope', input: {} },
        ],
      },
    ])
    const agent = agentIn(place, { tools: [weather], policies: { unknownTool: 'fail' } })
    const result = await place.clock.until(agent.run('Hi', { throwOnError: false }))
    expect([end(result), result.calls.map((call) => call.outcome)]).toEqual(['failed tool_failure', ['ok', 'invalid']])
  })

  test.each([
    ['with no text', undefined],
    ['with text', 'I will look it up.'],
  ])('B024 an unknown name %s is never a silent end: the model is told and answers', async (_name, text) => {
    const call = { calls: [{ name: 'client_side_thing', input: {} }] }
    const place = scriptedLab([text === undefined ? call : { ...call, text }, 'I cannot do that.'])
    const result = await place.clock.until(agentIn(place).run('Hi'))
    expect([end(result), result.text]).toEqual(['completed completed', 'I cannot do that.'])
    expect(result.calls.map((settled) => [settled.toolName, settled.outcome, settled.dynamic])).toEqual([
      ['client_side_thing', 'invalid', true],
    ])
    expect(lines(result.messages).join('\n')).toContain('No tools are available.')
  })

  test('B024 a tool that a client runs is registered as one: its call waits for the result, with the run parked', async () => {
    const place = scriptedLab([asks('pick_date')])
    const pick = tool({ name: 'pick_date', description: 'Asks the user', inputSchema: z.object({}) })
    const result = await place.clock.until(agentIn(place, { tools: [pick] }).run('Hi'))
    expect(end(result)).toBe('parked awaiting_tool_results')
    expect(result.status === 'parked' && result.pending.map((pending) => [pending.callId, pending.toolName])).toEqual([
      ['m1.0', 'pick_date'],
    ])
  })

  test.each([
    'read_file',
    'functions.server__read_file',
    ' server__read_file',
    'server__read_file ',
    'SERVER__READ_FILE',
    'server__read_fil',
    '',
  ])('B025 %j is not taken for server__read_file: an error result with the id of the call, and nothing runs', async (name) => {
    let runs = 0
    const place = scriptedLab([{ calls: [{ name, input: {}, id: 'call_7' }] }, 'ok'])
    const agent = agentIn(place, { tools: [plainTool('server__read_file', () => ++runs)] })
    const result = await place.clock.until(agent.run('Hi'))
    const part = result.messages[1]?.parts[0]
    expect(part).toMatchObject({ callId: 'm1.0', providerCallId: 'call_7', toolName: name, settlement: { outcome: 'invalid' } })
    expect([runs, end(result)]).toEqual([0, 'completed completed'])
  })

  test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('B025 %j is a name like any other', async (name) => {
    const place = scriptedLab([asks(name), 'ok'])
    const result = await place.clock.until(agentIn(place, { tools: [weather] }).run('Hi'))
    expect(result.calls.map((call) => call.outcome)).toEqual(['invalid'])
    const own = scriptedLab([asks(name), 'ok'])
    const found = await own.clock.until(agentIn(own, { tools: [plainTool(name, () => 'found')] }).run('Hi'))
    expect(found.calls).toMatchObject([{ toolName: name, outcome: 'ok', output: 'found' }])
  })
})

describe('arguments that cannot be used', () => {
  test.each([
    ['cut off', '{"city": "Os', 'the text ends early'],
    ['no JSON', 'city=Oslo', 'they are not valid JSON'],
    ['an array', '["Oslo"]', 'they are an array, not a JSON object'],
    ['a number', '7', 'they are a number, not a JSON object'],
    ['null', 'null', 'they are null, not a JSON object'],
    ['a string of no JSON', '"Oslo"', 'they are a JSON string, not a JSON object'],
    ['a number that JSON cannot hold', '{"city": 1e999}', 'the number at $.city is too large'],
  ])('B034 arguments that are %s go back as {}, with the original kept beside', async (_name, rawInput, why) => {
    const place = scriptedLab([{ calls: [{ name: 'get_weather', input: {}, rawInput }] }, 'ok'])
    const result = await place.clock.until(agentIn(place, { tools: [weather] }).run('Hi', { session: 's' }))
    const sent = [...(place.model.requests[1]?.messages ?? [])][1]?.parts[0]
    expect(sent).toMatchObject({ type: 'tool-call', rawInput, settlement: { outcome: 'invalid' } })
    // `toMatchObject` takes anything for an empty object.
    expect(sent?.type === 'tool-call' && sent.input).toStrictEqual({})
    expect(sent?.type === 'tool-call' && sent.settlement?.outcome === 'invalid' && sent.settlement.error.message).toContain(why)
    expect(end(result)).toBe('completed completed')
    // What another process reads from the store goes back in the same way.
    const later = scriptedLab(['ok'])
    await agentIn({ ...place, model: later.model, store: otherProcess(place.store) }, { tools: [weather] }).run('Again', { session: 's' })
    expect([...(later.model.requests[0]?.messages ?? [])][1]?.parts[0]).toEqual(sent)
  })

  test.each([
    ['{}', {}, 'city: Invalid input: expected string, received undefined'],
    ['a wrong type', { city: 5 }, 'city: Invalid input: expected string, received number'],
    ['null', { city: null }, 'city: Invalid input: expected string, received null'],
  ])('B039 %s for required arguments is an error result that names tool, path, expected and received', async (_name, input, why) => {
    const place = scriptedLab([
      { calls: [{ name: 'get_weather', input: { city: 'Oslo' } }] },
      { calls: [{ name: 'get_weather', input }] },
      { calls: [{ name: 'get_weather', input: { city: 'Rome' } }] },
      'Both sunny.',
    ])
    const result = await place.clock.until(agentIn(place, { tools: [weather] }).run('Hi'))
    const text = `The arguments of 'get_weather' are not valid. ${why}. Send the call again with valid arguments.`
    expect(lines(result.messages)).toEqual([
      'user: Hi',
      'assistant: get_weather{"city":"Oslo"}→ok:sunny in Oslo',
      `assistant: get_weather${JSON.stringify(input)}→invalid:${text}`,
      'assistant: get_weather{"city":"Rome"}→ok:sunny in Rome',
      'assistant: Both sunny.',
    ])
  })

  test('B039 the error result is bounded however much is wrong, and so are the attempts', async () => {
    const fields = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`field_${index}_${'x'.repeat(500)}`, z.string()]))
    const wide = tool({ name: 'wide', description: 'Wide', inputSchema: z.object(fields), execute: () => 1 })
    const place = scriptedLab([asks('wide'), asks('wide'), 'I give up.'])
    const result = await place.clock.until(agentIn(place, { tools: [wide], limits: { maxIterations: 2 } }).run('Hi'))
    const message = result.calls[0]?.outcome === 'ok' ? '' : (result.calls[0]?.error.message ?? '')
    expect(message).toContain('… and 195 more')
    expect(message.length).toBeLessThan(3_000)
    expect([end(result), result.text]).toEqual(['incomplete max_iterations', 'I give up.'])
  })

  test('B039 a schema that throws or rejects spoils its own call only', async () => {
    const broken = (name: string, validate: () => never | Promise<never>) => {
      const { '~standard': standard } = noInput
      return tool({ name, description: name, inputSchema: { '~standard': { ...standard, validate } }, execute: () => 1 })
    }
    const tools = [
      broken('throws', () => {
        throw new Error('schema bug')
      }),
      broken('rejects', () => Promise.reject(new Error('schema bug'))),
      plainTool('fine', () => 'fine'),
    ]
    const place = scriptedLab([asks('throws', 'rejects', 'fine'), 'ok'])
    const result = await place.clock.until(agentIn(place, { tools }).run('Hi'))
    expect(result.calls.map((call) => (call.outcome === 'ok' ? call.output : call.error.message))).toEqual([
      "The arguments of 'throws' could not be checked: schema bug",
      "The arguments of 'rejects' could not be checked: schema bug",
      'fine',
    ])
  })
})
