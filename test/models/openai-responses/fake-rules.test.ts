import { expect, test } from 'vitest'
import { fakeResponses, type ResponsesOptions } from '../../../src/testing/fake/responses/index.ts'

// The server that plays the API refuses what the real one refuses, in its words: else a test that talks to it would prove nothing.

const hello = { role: 'user', content: 'hi' }
const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' }
const output = { type: 'function_call_output', call_id: 'c1', output: '' }
const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' }
const text = { role: 'assistant', content: 'a' }
const fn = { type: 'function', name: 'f', parameters: { type: 'object', properties: {} }, strict: false }

/** What a request is answered with. */
async function refused(more: object, options: ResponsesOptions = {}): Promise<string> {
  await using server = await fakeResponses(['ok'], options)
  const answer = await fetch(`${server.url}/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', input: [hello], ...more }),
  })
  const body = (await answer.json()) as { error?: { message: string } }
  return body.error?.message ?? `HTTP ${answer.status}`
}

test('a good request is answered', async () => {
  expect(await refused({ input: [hello, reasoning, { ...call, id: 'fc_1' }, output], tools: [fn], tool_choice: 'auto' })).toBe('HTTP 200')
})

test.each<[string, object, string]>([
  ['an unknown field', { seed: 1 }, "Unknown parameter: 'seed'."],
  ['no model', { model: undefined }, "Missing required parameter: 'model'."],
  ['nothing to say', { input: [] }, "Missing required parameter: 'input'."],
  ['a call without its output', { input: [hello, call] }, 'No tool output found for function call c1.'],
  ['an output without its call', { input: [hello, output] }, 'No tool call found for function call output with call_id c1.'],
  ['an output before its call', { input: [hello, output, call] }, 'No tool call found for function call output'],
  [
    'an answer of another kind',
    { input: [hello, { ...call, type: 'custom_tool_call', input: '', arguments: undefined }, output] },
    'No tool call found',
  ],
  ['two calls of one id', { input: [hello, call, call, output] }, 'Duplicate item found with call_id c1'],
  [
    'reasoning at the end',
    { input: [hello, reasoning] },
    "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
  ],
  ['reasoning before the user', { input: [reasoning, hello] }, 'without its required following item'],
  ['reasoning before what has lost its id', { input: [hello, reasoning, text] }, 'without its required following item'],
  [
    'a call that has lost its reasoning',
    { input: [hello, { ...call, id: `fc_r${'0'.repeat(23)}1` }, output] },
    "of type 'function_call' was provided without its required 'reasoning' item",
  ],
  [
    'reasoning that nobody has kept',
    { store: false, input: [hello, { ...reasoning, encrypted_content: undefined }, { ...call, id: 'fc_1' }, output] },
    'Items are not persisted when `store` is set to false.',
  ],
  [
    'a reference to an item that nobody has kept',
    { store: false, input: [hello, { type: 'item_reference', id: 'msg_1' }] },
    'not persisted',
  ],
  ['a status that is null', { input: [hello, { ...call, status: null }, output] }, 'but got null instead'],
  ['an id that is too long', { input: [hello, { ...call, call_id: 'x'.repeat(65) }, output] }, 'maximum length 64'],
  ['a choice without tools', { tool_choice: 'auto' }, 'no tools were specified'],
  ['a choice of no tool', { tools: [fn], tool_choice: { type: 'function', name: 'g' } }, "Tool choice 'g' not found"],
  ['129 tools', { tools: Array.from({ length: 129 }, (_, n) => ({ ...fn, name: `f${n}` })) }, 'array too long'],
  ['a bad name', { tools: [{ ...fn, name: 'Google Search' }] }, 'does not match pattern'],
  ['strictness that is none', { tools: [{ ...fn, strict: 'yes' }] }, "Invalid type for 'tools[0].strict'"],
  ['a strict tool that is open', { tools: [{ ...fn, strict: true }] }, "'additionalProperties' is required to be supplied and to be false"],
  ['options of a stream without one', { stream_options: {} }, "only allowed when 'stream' is enabled"],
  ['an answer without annotations', { input: [hello, { ...text, content: [{ type: 'output_text', text: 'a' }] }] }, 'annotations'],
  ['what only users say', { input: [{ role: 'assistant', content: [{ type: 'input_text', text: 'a' }] }] }, "Invalid value: 'input_text'."],
  ['a file without a name', { input: [{ role: 'user', content: [{ type: 'input_file', file_data: 'data:a/b;base64,' }] }] }, 'filename'],
  ['half a character', { input: [{ role: 'user', content: '\ud83d' }] }, 'no low surrogate'],
])('%s is refused', async (_, more, says) => {
  expect(await refused(more)).toContain(says)
})

test.each([undefined, null])('a tool that says of strictness %s is taken, for the API makes its schema strict itself', async (strict) => {
  expect(await refused({ tools: [{ ...fn, strict }] })).toBe('HTTP 200')
})

test('what a server is strict about besides', async () => {
  const rich = { ...output, output: [{ type: 'input_text', text: 'a' }] }
  expect(await refused({ input: [hello, call, rich] })).toBe('HTTP 200')
  expect(await refused({ input: [hello, call, rich] }, { rules: { textResults: true } })).toContain('expected a string')
  expect(await refused({ previous_response_id: 'resp_x' }, { rules: { kept: [] } })).toBe("Previous response with id 'resp_x' not found.")
})
