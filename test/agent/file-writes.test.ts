import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Agent, memory } from '../../src/index.ts'
import { scripted } from '../../src/testing/index.ts'
import { plannedChange, type WriteCall, writeTools } from '../../src/tools/index.ts'
import { makeTree } from '../tools/files/tree.ts'
import { contentsOf } from '../tools/files/write/writing.ts'

const edit = { path: 'a.txt', edits: [{ old: 'one', new: 'two' }] }
const write = { path: 'new/b.txt', content: 'made' }
const calls = [
  { name: 'edit_file', input: edit },
  { name: 'write_file', input: write },
]

test('an approval shows the change first, and a bound yes writes that or nothing', async () => {
  const root = makeTree({ 'a.txt': 'one\n' })
  const agent = new Agent({ model: scripted([{ calls }, 'Done.']), tools: writeTools({ root }), store: memory() })
  const parked = await agent.run('Go.', { session: 's' })
  expect(parked).toMatchObject({ status: 'parked', reason: 'awaiting_approval' })
  expect(contentsOf(root)).toEqual({ 'a.txt': 'one\n' })
  const decisions = []
  for (const call of await agent.session('s').pending()) {
    const planned = await plannedChange({ root }, call)
    if (planned === undefined || !('bound' in planned)) throw new Error('a change was expected')
    expect([planned.kind, planned.path, planned.after]).toEqual(
      call.toolName === 'edit_file' ? ['change', 'a.txt', 'two\n'] : ['create', 'new/b.txt', 'made'],
    )
    decisions.push({ callId: call.callId, decision: 'approve' as const, by: 'ann', input: planned.bound })
  }
  // Somebody edits the file after it was shown: what they wrote stays.
  writeFileSync(join(root, 'a.txt'), 'one and more\n')
  const result = await agent.resume('s', { decisions }).result
  expect(result.calls.map((call) => [call.toolName, call.outcome])).toEqual([
    ['edit_file', 'error'],
    ['write_file', 'ok'],
  ])
  expect(contentsOf(root)).toEqual({ 'a.txt': 'one and more\n', new: 'folder', 'new/b.txt': 'made' })
})

test('needsApproval: false asks nobody; a function is asked about each write', async () => {
  const root = makeTree({ 'a.txt': 'one\n' })
  const asked: WriteCall[] = []
  const needsApproval = (call: WriteCall) => {
    asked.push(call)
    return call.toolName === 'edit_file'
  }
  const model = scripted([{ calls }, 'Done.'])
  expect(await new Agent({ model, tools: writeTools({ root, needsApproval }) }).run('Go.')).toMatchObject({
    status: 'parked',
    pending: [{ toolName: 'edit_file' }],
  })
  expect(asked).toEqual([
    { toolName: 'edit_file', input: edit },
    { toolName: 'write_file', input: write },
  ])
  const free = await new Agent({ model: scripted([{ calls }, 'Done.']), tools: writeTools({ root, needsApproval: false }) }).run('Go.')
  expect(free.calls.map((call) => !call.dynamic && call.outcome === 'ok' && call.output)).toMatchObject([
    { replacements: 1 },
    { action: 'unchanged' },
  ])
})
