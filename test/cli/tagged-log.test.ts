import { expect, test } from 'vitest'
import { TaggedLog } from '../../src/cli/tagged-log.ts'
import { Agent, fallback, tool } from '../../src/index.ts'
import { jsonSchema } from '../../src/json-schema/index.ts'
import { type Script, scripted } from '../../src/testing/index.ts'

async function logged(script: Script, result: unknown = 'ok'): Promise<readonly string[]> {
  const look = tool({ name: 'look', description: 'd', effect: 'read', inputSchema: jsonSchema({ type: 'object' }), execute: () => result })
  const lines: string[] = []
  const log = new TaggedLog((line) => lines.push(line))
  for await (const event of new Agent({ model: scripted(script), tools: [look] }).stream('What is here?')) log.event(event)
  log.end()
  return lines
}

test('S2-11 one line per fact: the stop reason of each response, each call and its result, the end', async () => {
  expect(await logged([{ text: 'I look.', calls: [{ name: 'look', input: { at: 1 } }] }, 'There is one.'])).toEqual([
    '[AGENT] Task: What is here?',
    '[LLM] Asking scripted:script (iteration 1, attempt 1)',
    '[LLM] Response stop_reason: tool_use',
    '[LLM] Tokens: 10 in, 5 out',
    '[LLM] Text: I look.',
    '[ACT] Executing tool: look',
    '[ACT] Arguments: {"at":1}',
    '[OBSERVE] Result preview: ok',
    '[LLM] Asking scripted:script (iteration 2, attempt 1)',
    '[LLM] Response stop_reason: end_turn',
    '[LLM] Tokens: 10 in, 5 out',
    '[LLM] Text: There is one.',
    '[THINK] No tools were asked for, ending loop',
  ])
})

test('a model that answered in the place of another is named', async () => {
  const lines: string[] = []
  const log = new TaggedLog((line) => lines.push(line))
  const down = scripted([{ fail: { code: 'ModelServerError' } }], { provider: 'acme', id: 'a' })
  const model = fallback([down, scripted(['Hi.'], { provider: 'acme', id: 'b' })])
  for await (const event of new Agent({ model }).stream('Hello')) log.event(event)
  expect(lines.slice(1, 3)).toEqual(['[LLM] Asking fallback:acme:a,acme:b (iteration 1, attempt 1)', '[LLM] Answered by: acme:b'])
})

test('S2-11 a long result ends with ... where it is cut', async () => {
  const preview = (await logged([{ calls: [{ name: 'look', input: {} }] }, 'x'], 'y'.repeat(5_000))).find((line) =>
    line.startsWith('[OBSERVE]'),
  )
  expect(preview).toMatch(/^\[OBSERVE\] Result preview: y{199}\.\.\.$/)
})

test('a result of several lines is one line, and nothing in it talks to the terminal', async () => {
  expect(await logged([{ calls: [{ name: 'look', input: {} }] }, 'x'], 'a\nb\u001b[2J')).toContain('[OBSERVE] Result preview: a b\\x1b[2J')
})

test('a call that fails, a model that fails', async () => {
  const lines = await logged([
    { calls: [{ name: 'nothing', input: {} }] },
    { fail: { code: 'ModelAuthError', category: 'model', message: 'No key.', retryable: false } },
  ])
  expect(lines.filter((line) => /OBSERVE|ERROR|THINK/.test(line))).toEqual([
    expect.stringMatching(/^\[OBSERVE\] Result invalid|^\[OBSERVE\] Result error/),
    '[ERROR] The model call failed: No key.',
  ])
})
