import { describe, expect, test } from 'vitest'
import { type ApprovalRule, ruleFor } from '../../src/core/approval.ts'
import type { Json } from '../../src/core/json.ts'
import type { Effect } from '../../src/core/tool.ts'
import { matchesWildcard } from '../../src/core/wildcard.ts'

describe('wildcards', () => {
  test.each([
    ['', '', true],
    ['', 'a', false],
    ['*', '', true],
    ['*', 'any thing\nat all', true],
    ['git *', 'git status', true],
    ['git *', 'git', false],
    ['*.ts', 'src/a.ts', true],
    ['*.ts', 'src/a.tsx', false],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-b-b', false],
    ['?.?', 'a.b', true],
    ['?.?', 'a.bc', false],
    ['a.b', 'axb', false],
    ['[a-z]+', 'abc', false],
    [String.raw`what\?`, 'what?', true],
    [String.raw`what\?`, 'whatx', false],
    [String.raw`\*`, 'anything', false],
    [String.raw`a\\b`, String.raw`a\b`, true],
    [String.raw`a\b`, String.raw`a\b`, true],
    ['A*', 'abc', false],
  ])('%j and %j: %s', (pattern, text, expected) => {
    expect(matchesWildcard(pattern, text)).toBe(expected)
  })

  test('no pattern takes for ever', () => {
    expect(matchesWildcard(`${'*a'.repeat(30)}b`, 'a'.repeat(20_000))).toBe(false)
  })
})

describe('S0 permissions, C26: rules', () => {
  const call = (toolName: string, input: Json = {}, effect: Effect = 'unsafe') => ({ toolName, input, effect })
  const shell = (command: Json) => call('shell', { command })
  const rules: readonly ApprovalRule[] = [
    { action: 'allow', effect: 'read' },
    { action: 'allow', tool: 'shell', input: { command: 'git *' } },
    { action: 'ask', tool: 'shell', input: { command: 'git push*' }, risk: 'high' },
    { action: 'deny', tool: ['shell', 'exec_*'], input: { command: '*rm -rf*' }, reason: 'never' },
    { action: 'deny', tool: 'secret' },
  ]

  test.each([
    ['what no rule names', call('pay'), undefined],
    ['by effect', call('look', {}, 'read'), 'allow'],
    ['a denial wins over a permission', call('secret', {}, 'read'), 'deny'],
    ['by a pattern on a field', shell('git status'), 'allow'],
    ['a request wins over a permission', shell('git push origin'), 'ask'],
    ['a denial wins over a request', shell('git push && rm -rf /'), 'deny'],
    ['of several names one is enough', call('exec_now', { command: 'rm -rf' }), 'deny'],
    ['another tool with the same field', call('run', { command: 'git status' }), undefined],
    ['a field that is missing', call('shell', {}), undefined],
    ['a field that only every object has', call('shell', []), undefined],
    ['a field that is no plain value', shell({ git: 1 }), undefined],
    ['of a list that is allowed all must fit', shell(['git a', 'ls']), undefined],
    ['all of them do', shell(['git a', 'git b']), 'allow'],
    ['of a list that is denied one is enough', shell(['git a', 'rm -rf b']), 'deny'],
  ])('%s', (_, asked, expected) => {
    expect(ruleFor(rules, asked)?.action).toBe(expected)
  })

  test('of equals the first decides; numbers and truth values are compared as they are written', () => {
    const two: readonly ApprovalRule[] = [
      { action: 'ask', reason: 'one' },
      { action: 'ask', reason: 'two' },
    ]
    expect(ruleFor(two, call('x'))?.reason).toBe('one')
    const five: readonly ApprovalRule[] = [{ action: 'allow', input: { amount: '5', now: 'true' } }]
    expect([ruleFor(five, call('x', { amount: 5, now: true }))?.action, ruleFor(five, call('x', { amount: 55, now: true }))]).toEqual([
      'allow',
      undefined,
    ])
  })

  test('a field name that every object inherits is not there unless it is given', () => {
    expect(ruleFor([{ action: 'allow', input: { toString: '*' } }], call('x', {}))).toBeUndefined()
  })
})
