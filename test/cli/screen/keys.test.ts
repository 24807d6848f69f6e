import { emitKeypressEvents } from 'node:readline'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { type Key, KeyReader } from '../../../src/cli/screen/keys.ts'

/** The keys that these bytes of a terminal mean. */
function keysOf(bytes: string): readonly Key[] {
  const input = new PassThrough()
  const keys: Key[] = []
  const reader = new KeyReader((key) => keys.push(key))
  emitKeypressEvents(input)
  input.on('keypress', (text, key) => reader.read(text, key))
  input.write(bytes)
  input.read()
  return keys
}

test.each([
  ['\r', 'enter'],
  ['\n', 'ctrl-j'],
  ['\x1b\r', 'alt-enter'],
  ['\x03', 'ctrl-c'],
  ['\x04', 'ctrl-d'],
  ['\x7f', 'backspace'],
  ['\x1b\x7f', 'alt-backspace'],
  ['\x1b[A', 'up'],
  ['\x1bOB', 'down'],
  ['\x1b[1;5D', 'ctrl-left'],
  ['\x1bb', 'alt-b'],
  ['\x1b[3~', 'delete'],
  ['\x1b[H', 'home'],
  ['\t', 'tab'],
])('%j is %s', (bytes, name) => {
  expect(keysOf(bytes)).toEqual([{ kind: 'key', name }])
})

test('characters of any script are text', () => {
  expect(keysOf('aÉ日')).toEqual(['a', 'É', '日'].map((text) => ({ kind: 'text', text })))
})

test('a paste comes whole: nothing in it is a key, its line ends are newlines', () => {
  expect(keysOf('\x1b[200~one\r\ntwo\x1b[A\r\x1b[201~x')).toEqual([
    { kind: 'paste', text: 'one\ntwo\x1b[A\n' },
    { kind: 'text', text: 'x' },
  ])
})

test('what no terminal of ours sends is dropped', () => {
  expect(keysOf('\x1b[13;2u')).toEqual([])
})
