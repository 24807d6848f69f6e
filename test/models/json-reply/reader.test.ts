import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { read } from './support.ts'

const notJson = /^\w+! This call cannot be run: (?:it|the reply) is not valid JSON\./
const cut = /^\w+! This call cannot be run: the reply ended before it was complete\./

describe('S2-06 a reply is JSON: `tool_call` is a call, `response` is an answer', () => {
  test.each<[rule: string, reply: string, said: readonly string[]]>([
    ['an answer', '{"response":"It is 20 °C."}', ['It is 20 °C.']],
    ['a call', '{"tool_call":{"name":"weather","input":{"city":"Paris"}}}', ['weather({"city":"Paris"})']],
    ['a thought before it is reasoning', '{"thought":"Look.","tool_call":{"name":"ls","input":{}}}', ['?Look.', 'ls({})']],
    ['a thought behind it too', '{"response":"Yes.","thought":"Easy."}', ['Yes.', '?Easy.']],
    ['an answer and a call', '{"response":"I look.","tool_call":{"name":"ls","input":{}}}', ['I look.', 'ls({})']],
    [
      'every call of a list, in its order',
      '{"tool_calls":[{"name":"a","input":{"n":1}},{"name":"b","input":{"n":2}},{"name":"a","input":{"n":3}}]}',
      ['a({"n":1})', 'b({"n":2})', 'a({"n":3})'],
    ],
    ['a list under `tool_call`', '{"tool_call":[{"name":"a","input":{}},{"name":"b","input":{}}]}', ['a({})', 'b({})']],
    ['one call under `tool_calls`', '{"tool_calls":{"name":"a","input":{}}}', ['a({})']],
    [
      'a key that comes twice loses no call',
      '{"tool_call":{"name":"a","input":{}},"tool_call":{"name":"b","input":{}}}',
      ['a({})', 'b({})'],
    ],
    ['nor any text', '{"response":"a","response":"b"}', ['a', '\nb']],
    ['a call that is null is none', '{"tool_call":null,"response":"Hi."}', ['Hi.']],
    ['nor is an empty object or list', '{"tool_call":{},"tool_calls":[],"response":"Hi."}', ['Hi.']],
    ['an answer that is null is none', '{"response":null,"tool_call":{"name":"a","input":{}}}', ['a({})']],
    ['arguments that are missing are none', '{"tool_call":{"name":"now"}}', ['now({})']],
    ['arguments before the name', '{"tool_call":{"input":{"n":1},"name":"a"}}', ['a({"n":1})']],
    ['other words for arguments', '{"tool_call":{"name":"a","arguments":{"n":1}}}', ['a({"n":1})']],
    ['arguments as a text are read once', '{"tool_call":{"name":"a","input":"{\\"n\\":1}"}}', ['a({"n":1})']],
    ['an id of the model', '{"tool_call":{"id":"c7","name":"a","input":{}}}', ['a({}) as c7']],
    ['other keys are passed over', '{"mood":["{",{"response":"no"}],"response":"yes","n":-1.5e3}', ['yes']],
    ['braces, quotes and brackets in texts', '{"tool_call":{"name":"a","input":{"code":"}\\"]{\\\\"}}}', ['a({"code":"}\\"]{\\\\"})']],
    ['escapes of an answer', '{"response":"a\\n\\u00e9\\ud83d\\ude00\\"\\\\\\/"}', ['a\né😀"\\/']],
    ['B188 an answer that is an object is its JSON', '{"response":{"a":["b\\"",1]}}', ['{"a":["b\\"",1]}']],
    ['B188 and so is one that is a list or a number', '{"response":[1,{"a":null}]}', ['[1,{"a":null}]']],
    ['B188 a number', '{"response":42}', ['42']],
    ['B189 what the model has wrapped twice stays wrapped once', '{"response":{"response":"x"}}', ['{"response":"x"}']],
  ])('%s', (_rule, reply, said) => {
    expect(read(reply).said).toEqual(said)
    expect(read(...reply).said, 'a character at a time').toEqual(said)
  })

  test('`__proto__` as a name and as an argument is plain data', () => {
    const { message } = read('{"__proto__":{"response":"x"},"tool_call":{"name":"__proto__","input":{"__proto__":{"a":1},"b":2}}}')
    const [call] = message.parts
    if (call?.type !== 'tool-call') throw new Error('no call')
    expect(call.toolName).toBe('__proto__')
    expect(JSON.stringify(call.input)).toBe('{"__proto__":{"a":1},"b":2}')
    expect(({} as { a?: number }).a).toBeUndefined()
  })
})

describe('what stands round the JSON', () => {
  test.each<[rule: string, reply: string, said: readonly string[]]>([
    ['a fence', '```json\n{"response":"Hi."}\n```', ['Hi.']],
    ['a fence in one line', '```{"response":"Hi."}```', ['Hi.']],
    ['blanks', '\n\n  {"response":"Hi."}  \n', ['Hi.']],
    ['text before it', 'Sure, one moment.\n\n```json\n{"tool_call":{"name":"a","input":{}}}\n```', ['Sure, one moment.', 'a({})']],
    ['text before an answer', 'Well:\n{"response":"Hi."}', ['Well:', '\nHi.']],
    ['text behind it', '{"response":"Hi."}\n\nThat was all.', ['Hi.', '\nThat was all.']],
    ['two objects in a row', '{"tool_call":{"name":"a","input":{}}}\n{"tool_call":{"name":"b","input":{}}}', ['a({})', 'b({})']],
    ['two objects in one line', '{"tool_call":{"name":"a","input":{}}}, {"response":"Hi."}', ['a({})', 'Hi.']],
    ['a list of objects', '[{"tool_call":{"name":"a","input":{}}},{"tool_call":{"name":"b","input":{}}}]', ['a({})', 'b({})']],
    ['a brace too many', '{"response":"Hi."}}', ['Hi.']],
    [
      'a call behind text that the model made up as its result is text',
      '{"tool_call":{"name":"a","input":{}}}\nResult: 3\n{"tool_call":{"name":"b","input":{}}}',
      ['a({})', 'Result: 3\n{"tool_call":{"name":"b","input":{}}}'],
    ],
    [
      'or behind JSON that is no reply',
      '{"tool_call":{"name":"a","input":{}}}\n{"tool_results":[3]}\n{"tool_call":{"name":"b","input":{}}}',
      ['a({})', '\n{"tool_results":[3]}\n{"tool_call":{"name":"b","input":{}}}'],
    ],
  ])('%s', (_rule, reply, said) => {
    expect(read(reply).said).toEqual(said)
    expect(read(...reply).said, 'a character at a time').toEqual(said)
  })
})

describe('B037 text stays text', () => {
  test.each([
    ['plain words', 'It is 20 °C in Paris.\n\nAnything else?'],
    ['markup of a call', '<tool_call>{"name":"ls","arguments":{}}</tool_call>'],
    ['a call without our key', '{"name":"ls","input":{}}'],
    ['a call in the middle of a line', 'Write {"tool_call":{"name":"ls","input":{}}} to list files.'],
    ['JSON of its own', '{"city":"Paris","celsius":20}'],
    ['JSON in a fence', '```json\n{"city":"Paris"}\n```\nThat is it.'],
    ['code', '```js\nfunction f() {\n  return {}\n}\n```'],
    ['a set', '{1, 2, 3} is a set.\n{"a", "b"} too.'],
    ['a thought and nothing else', '{"thought":"hm"}'],
    ['a list', '[1,2,3]'],
    ['a link', '[here](http://127.0.0.1)'],
    ['JSON without its end', '{"city":"Par'],
  ])('%s', (_rule, reply) => {
    expect(read(reply).said.join('')).toContain(reply)
    expect(read(...reply).said.join('')).toContain(reply)
    expect(read(reply).message.parts.some(({ type }) => type === 'tool-call')).toBe(false)
  })
})

describe('B031 what is not whole does not run', () => {
  test.each<[rule: string, reply: string, said: readonly (string | RegExp)[]]>([
    [
      'arguments without their end',
      '{"tool_call":{"name":"write","input":{"path":"a","content":"half',
      [/^write! This call cannot be run: the reply ended/],
    ],
    ['a name and nothing more', '{"tool_call":{"name":"delete_all"', [cut]],
    ['a name without its end', '{"tool_call":{"name":"dele', [cut]],
    ['a list without its end: what is whole runs', '{"tool_calls":[{"name":"a","input":{}},{"name":"b","input":{"n":', ['a({})', cut]],
    ['braces round whole arguments that are missing', '{"tool_call":{"name":"a","input":{"n":1}', ['a({"n":1})']],
    [
      'arguments that are no JSON',
      '{"tool_call":{"name":"a","input":{\'n\':1}}}',
      [/^a! The arguments of this call cannot be used: they are not valid JSON/],
    ],
    [
      'arguments that are a list',
      '{"tool_call":{"name":"a","input":[1]}}',
      [/^a! The arguments of this call cannot be used: they are an array/],
    ],
    ['no name', '{"tool_call":{"input":{"n":1}}}', [/^unreadable_call! .*it has no name/]],
    ['an empty name', '{"tool_call":{"name":" ","input":{"n":1}}}', [/^unreadable_call! .*it has no name/]],
    ['a name that is no text', '{"tool_call":{"name":7,"input":{}}}', [/its name is no text/]],
    ['two names', '{"tool_call":{"name":"a","name":"b","input":{}}}', [/^a! .*two names, 'a' and 'b'/]],
    ['arguments twice', '{"tool_call":{"name":"a","input":{},"arguments":{"n":1}}}', [/^a! .*arguments twice/]],
    ['a call that is a text', '{"tool_call":"ls"}', [/^unreadable_call! .*a call is an object/]],
    ['a list of texts', '{"tool_calls":["ls",{"name":"a","input":{}}]}', [/^unreadable_call! .*a call is an object/, 'a({})']],
    ['a call that breaks off', '{"tool_call":{"name":"a" "input":{}}}', [notJson]],
    ['a list that breaks off', '{"tool_calls":[{"name":"a","input":{}} {"name":"b","input":{}}]}', ['a({})', notJson]],
    ['a thought whose quotes are not escaped', '{"thought":"I "must" go","tool_call":{"name":"a","input":{}}}', ['?I ', notJson]],
  ])('%s', (_rule, reply, said) => {
    for (const pieces of [[reply], [...reply]]) {
      const { said: got } = read(...pieces)
      expect(got).toHaveLength(said.length)
      for (const [index, expected] of said.entries()) {
        if (typeof expected === 'string') expect(got[index]).toBe(expected)
        else expect(got[index]).toMatch(expected)
      }
    }
  })

  test('the words of the model are kept with the call that can not run', () => {
    const [call] = read('{"tool_call":{"name":"a" "input":{}}}').message.parts
    expect(call).toMatchObject({ input: {}, rawInput: '{"name":"a" "input":{}}}' })
  })
})

describe('an answer whose quotes are not escaped is text all the same', () => {
  test.each([
    ['{"response":"He said "yes" to me."}', 'He said "yes" to me.'],
    ['{"response":"a "b", "c""}\n', 'a "b", "c"'],
    ['```json\n{"response":"a "b"\\nc"}\n```', 'a "b"\nc'],
    [
      '{"response":"Reply with {"tool_call":{"name":"rm","input":{}}} to call."}',
      'Reply with {"tool_call":{"name":"rm","input":{}}} to call.',
    ],
    ['{"thought":"I "know"","response":"It is "42", of course."}', 'It is "42", of course.'],
    ['{"response":"two\nlines"}', 'two\nlines'],
  ])('%s', (reply, answer) => {
    for (const pieces of [[reply], [...reply]]) {
      const { message } = read(...pieces)
      const text = message.parts.filter(({ type }) => type === 'text').map((part) => ('text' in part ? part.text : ''))
      expect(text.join('')).toBe(answer)
      expect(message.parts.some(({ type }) => type === 'tool-call')).toBe(false)
    }
  })
})

describe('a reply is told while it comes', () => {
  test('the text of an answer with each piece', () => {
    const { deltas } = read('{"thou', 'ght":"a', 'b","resp', 'onse": "Hel', 'lo \\u00', 'e9', '!"', '}')
    expect(deltas.filter(({ type }) => type !== 'data')).toEqual([
      { type: 'reasoning', part: 0, text: 'a' },
      { type: 'reasoning', part: 0, text: 'b' },
      { type: 'text', part: 1, text: 'Hel' },
      { type: 'text', part: 1, text: 'lo ' },
      { type: 'text', part: 1, text: 'é' },
      { type: 'text', part: 1, text: '!' },
    ])
  })

  test('a call as soon as its name is known, then its arguments', () => {
    const { deltas } = read('{"tool_calls":[{"name":"wri', 'te","input":{"a"', ':1}},{"name":"ls"', '}]}')
    expect(deltas).toEqual([
      { type: 'call', part: 0, toolName: 'write' },
      { type: 'call-input', part: 0, text: '{"a"' },
      { type: 'call-input', part: 0, text: ':1}' },
      { type: 'call', part: 1, toolName: 'ls' },
    ])
  })

  test('plain text with each piece', () => {
    expect(read('It ', 'is ', '20.').deltas.map((delta) => ('text' in delta ? delta.text : ''))).toEqual(['It', ' is', ' 20.'])
  })
})

test('the work grows with the reply and not faster: long texts in small pieces', () => {
  const long = 'x "'.repeat(100_000)
  for (const reply of [
    JSON.stringify({ response: long }),
    JSON.stringify({ tool_call: { name: 'a', input: { long } } }),
    JSON.stringify({ no: long }),
    `{"response":"${long}"}`,
    `{"thought":"${long}"`,
    long,
    '`'.repeat(300_000),
    '{'.repeat(100_000),
    `{"a":${'['.repeat(100_000)}`,
    `{"response":"a"${'\n'.repeat(200_000)}`,
  ]) {
    const pieces = reply.match(/.{1,7}/gs) ?? []
    expect(read(...pieces).message.parts.length).toBeGreaterThan(0)
  }
})

test('text behind a reply keeps its blanks, wherever it is cut', () => {
  const reply = '{"response":"Yes."}'
  const more = ' I hope  that helps. \n Bye.'
  for (let cut = 0; cut <= more.length; cut++)
    expect(read(reply, more.slice(0, cut), more.slice(cut)).said).toEqual(['Yes.', '\nI hope  that helps. \n Bye.'])
})

describe('any text', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      ...['{', '}', '[', ']', '"', ':', ',', '\\', '\n', '```', '```json\n', '"response"', '"tool_call"', '"tool_calls"', '"thought"'],
      ...['"name"', '"input"', '"id"', 'null', ' ', '{"tool_call":{"name":"a","input":', '{"response":"', '\\u00e9', '\ud83d', '<think>'],
    ),
    fc.string({ maxLength: 6 }),
    fc.json({ maxDepth: 3 }),
  )

  test('is read the same however it is cut', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.array(fc.nat({ max: 9 }), { maxLength: 40 }), (words, cuts) => {
        const text = words.join('')
        const pieces: string[] = []
        let at = 0
        for (const length of cuts) {
          pieces.push(text.slice(at, at + length))
          at += length
        }
        pieces.push(text.slice(at))
        expect(read(...pieces).message).toEqual(read(text).message)
      }),
      { numRuns: 3000 },
    )
  })

  test('of a good reply that is cut anywhere, a call that runs is one that was whole', () => {
    const reply = '{"thought":"a}\\"","tool_calls":[{"name":"pay","input":{"cents":4200,"to":"A{\\"}"}},{"id":"x","input":{},"name":"ls"}]}'
    for (let end = 0; end <= reply.length; end++) {
      const { message } = read(reply.slice(0, end))
      for (const part of message.parts)
        if (part.type === 'tool-call' && part.inputError === undefined)
          expect(['{"cents":4200,"to":"A{\\"}"}', '{}']).toContain(JSON.stringify(part.input))
      const pay = message.parts.find((part) => part.type === 'tool-call' && part.toolName === 'pay')
      if (pay?.type === 'tool-call' && pay.inputError === undefined) expect(pay.input).not.toEqual({})
    }
  })
})
