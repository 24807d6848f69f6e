import { describe, expect, test } from 'vitest'
import { argumentText, callLine, runningLine, type SettledCallView } from '../../src/cli/call-line.ts'
import { columnsOf } from '../../src/cli/text.ts'
import type { Outcome } from '../../src/index.ts'

const screen = { color: false, columns: 80 }
const call = { toolName: 'read_file', input: { path: 'README.md' }, outcome: 'ok', output: 'text', durationMs: 4 } as const
const failed = (outcome: Exclude<Outcome, 'ok'>): SettledCallView => ({
  ...call,
  outcome,
  output: undefined,
  error: { code: 'ToolExecutionError', category: 'tool', message: 'no\nsuch \u001b file', retryable: false },
})

describe('a line of a call', () => {
  test('name, arguments, outcome and time stand in columns', () => {
    const lines = [
      callLine(call, screen),
      callLine(
        { ...call, toolName: 'find_files', input: { glob: 'src/**/*.ts', limit: 1000 }, output: { files: [1, 2] }, durationMs: 61_000 },
        screen,
      ),
      callLine({ ...call, output: { text: 'a\nb', truncated: true } }, screen),
    ]
    expect(lines.join('')).toBe(
      [
        '✓ read_file    path=README.md                                        ok     4 ms',
        '✓ find_files   glob=src/**/*.ts limit=1000                      2 files 1 min 01 s',
        '✓ read_file    path=README.md                                  2+ lines     4 ms',
        '',
      ].join('\n'),
    )
  })

  test('long arguments and names are shortened to the width; a wide screen does not pull the line apart', () => {
    const long = { ...call, toolName: 'a'.repeat(200), input: { query: '日本'.repeat(200) } }
    for (const [columns, width] of [
      [60, 60],
      [80, 80],
      [200, 100],
      [undefined, 80],
    ] as const)
      expect(columnsOf(callLine(long, { color: false, columns }).trimEnd())).toBe(width)
  })

  test('a failure has its message in a second line, in one piece', () => {
    expect(callLine(failed('error'), screen)).toBe(
      '✗ read_file    path=README.md                                     error     4 ms\n  no such \\x1b file\n',
    )
  })

  test('each outcome has its mark and colour', () => {
    const outcomes = ['error', 'timeout', 'invalid', 'unknown', 'denied', 'cancelled', 'skipped', 'truncated'] as const
    const marks = outcomes.map((outcome) => callLine(failed(outcome), { color: true, columns: 80 }).slice(0, 6))
    expect(marks).toEqual([...Array(4).fill('\u001b[31m✗'), ...Array(4).fill('\u001b[33m–')])
    expect(callLine(call, { color: true, columns: 80 }).slice(0, 6)).toBe('\u001b[32m✓')
  })

  test('a call that nothing ran has no time', () => {
    const { durationMs: _, ...skipped } = failed('skipped')
    expect(callLine(skipped, screen).split('\n')[0]).toBe('– read_file    path=README.md                                   skipped')
  })

  test('what a result holds is counted', () => {
    const outputs: [unknown, string][] = [
      [{ entries: [] }, '0 entries'],
      [{ matches: [1], truncated: false }, '1 match'],
      [{ files: Array(1200).fill(0), truncated: true }, '1,200+ files'],
      [{ text: 'one' }, '1 line'],
      [{ size: 3 }, 'ok'],
      [[1, 2], 'ok'],
      [null, 'ok'],
      [{ '\u001b[2J': [1, 2] }, '2 \\x1b[2J'],
    ]
    for (const [output, text] of outputs) expect(callLine({ ...call, output }, screen)).toContain(` ${text}     4 ms`)
  })

  test('a running call is announced in the same columns', () => {
    expect(runningLine(call, screen)).toBe('· read_file    path=README.md                                          running …\n')
  })
})

test('arguments read like a command line; nothing in them can talk to the terminal', () => {
  const rows: [unknown, string][] = [
    [{}, ''],
    [{ path: 'a b', glob: '**/[Rr]*.{ts,md}', depth: 1, all: true }, 'path="a b" glob=**/[Rr]*.{ts,md} depth=1 all=true'],
    [{ path: '' }, 'path=""'],
    [{ 'k\u001b': '\u001b[31m\n\u202e' }, '"k\\u001b"="\\u001b[31m\\n\\u202e"'],
    [{ 'path=a to': 1, 'größe_in.$m-1': 2 }, '"path=a to"=1 größe_in.$m-1=2'],
    [{ nested: { a: [1, '\u009b'] } }, 'nested={"a":[1,"\\x9b"]}'],
    ['text', 'text'],
    [[1], '[1]'],
    [undefined, 'undefined'],
  ]
  for (const [input, text] of rows) expect(argumentText(input)).toBe(text)
})
