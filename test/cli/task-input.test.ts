import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { taskInput } from '../../src/cli/task-input.ts'
import { CannotRun } from '../../src/cli/terminal.ts'
import { fakeTerminal } from './fake-terminal.ts'
import { newFolder } from './folders.ts'

const cwd = newFolder({ 'a.txt': 'one\n```\ntwo\n', 'b.bin': '' })
writeFileSync(join(cwd, 'b.bin'), Buffer.from([0xff, 0xfe, 0x00]))
writeFileSync(join(cwd, 'dot.PNG'), Buffer.from([1, 2, 3]))
writeFileSync(join(cwd, 'big.txt'), 'x'.repeat(1_000_001))

const read = (words: readonly string[], files: readonly string[], input?: string) =>
  taskInput(words, files, fakeTerminal({ cwd, ...(input === undefined ? {} : { input }) }))

test('words alone are the task; without words it is what stands on standard input', async () => {
  expect(await read(['find', 'it'], [])).toBe('find it')
  expect([await read([], [], ' from a pipe\n'), await read(['-'], [], 'x')]).toEqual(['from a pipe', 'x'])
})

test('files go with it, each behind its name, in a fence that its text can not end', async () => {
  expect(await read(['what?'], ['a.txt'])).toEqual([
    { type: 'text', text: 'what?' },
    { type: 'text', text: 'a.txt:\n````\none\n```\ntwo\n````' },
  ])
})

test('- is standard input: a file, and no task', async () => {
  expect(await read(['what?'], ['-'], 'piped')).toEqual([
    { type: 'text', text: 'what?' },
    { type: 'text', text: 'standard input:\n```\npiped\n```' },
  ])
})

test('a picture goes as a picture', async () => {
  const parts = await read(['what?'], ['dot.PNG'])
  expect(parts[1]).toMatchObject({ type: 'image', mediaType: 'image/png', name: 'dot.PNG' })
})

test.each([
  ['a file that is not there', ['w'], ['no.txt'], undefined, 'There is no file no.txt (--file).'],
  ['a folder', ['w'], ['.'], undefined, '. (--file) is no file.'],
  ['no text', ['w'], ['b.bin'], undefined, 'b.bin (--file) is no text in UTF-8, and no picture by its name (png, jpg, jpeg, gif, webp).'],
  [
    'too large',
    ['w'],
    ['big.txt'],
    undefined,
    'big.txt (--file) has more than 1,000,000 bytes: too much to say at once. Let the agent read it.',
  ],
  [
    'a keyboard',
    ['w'],
    ['-'],
    undefined,
    '--file - reads standard input, and that is the keyboard here. Pipe something into it, or name a file.',
  ],
  ['twice', ['w'], ['-', '-'], 'x', 'Standard input can be read once: give --file - once.'],
  ['no task', [], ['-'], 'x', 'There is no task. Say what to do: rondo run "find the largest files"'],
])('%s is refused', async (_name, words, files, input, message) => {
  await expect(read(words, files, input)).rejects.toThrow(new CannotRun(message))
})
