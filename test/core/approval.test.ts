import { describe, expect, test } from 'vitest'
import { type ApprovalRule, requestOf, ruleFor } from '../../src/core/approval.ts'
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
  const call = (toolName: string, input: Json = {}, effect: Effect = 'unsafe') => ({ toolName, input, parsed: input, effect })
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

  test('of a list that is allowed there must be one', () => {
    const rule: readonly ApprovalRule[] = [{ action: 'allow', input: { paths: 'tmp/*' } }]
    expect([ruleFor(rule, call('x', { paths: [] })), ruleFor(rule, call('x', { paths: ['tmp/a'] }))?.action]).toEqual([undefined, 'allow'])
  })

  const prod = (action: ApprovalRule['action']): readonly ApprovalRule[] => [{ action, input: { env: 'prod', region: 'eu' } }]
  const became = (input: Json, parsed: Json) => ({ ...call('x', input), parsed })

  test.each([
    ['a default', became({ region: 'eu' }, { region: 'eu', env: 'prod' })],
    ['a transform', became({ region: 'eu', env: 'PROD' }, { region: 'eu', env: 'prod' })],
    ['each field where it fits', became({ region: 'eu', env: 'PROD' }, { region: 1, env: 'prod' })],
    ['what is dropped', became({ region: 'eu', env: 'prod' }, {})],
  ])('what a schema makes of the arguments is denied and asked about as what the model sent: %s', (_, asked) => {
    expect([ruleFor(prod('deny'), asked)?.action, ruleFor(prod('ask'), asked)?.action]).toEqual(['deny', 'ask'])
  })

  test('but allowed is what the model sent', () => {
    expect(ruleFor(prod('allow'), became({ region: 'eu' }, { region: 'eu', env: 'prod' }))).toBeUndefined()
    expect(ruleFor(prod('allow'), became({ region: 'eu', env: 'prod' }, {}))?.action).toBe('allow')
  })

  test.each([
    ['tmp/a', true, false],
    ['tmp/a/../b', true, false],
    ['tmp/../etc/passwd', false, false],
    [String.raw`tmp/..\etc\passwd`, false, false],
    ['tmp/%2e%2e/etc/passwd', false, false],
    ['./tmp/a', false, false],
    ['tmp/', false, false],
    ['/etc/passwd', false, true],
    ['/etc/../home/a', false, true],
    ['//etc/passwd', false, true],
    ['/tmp/../etc/passwd', false, true],
    ['/./etc/passwd', false, true],
    [String.raw`\etc\passwd`, false, true],
    ['%2fetc/passwd', false, true],
  ])('a star is no way round: %j is allowed by tmp/*: %s; denied by /etc/*: %s', (path, allowed, denied) => {
    const by = (rule: ApprovalRule) => ruleFor([rule], call('save', { path })) !== undefined
    expect([by({ action: 'allow', input: { path: 'tmp/*' } }), by({ action: 'deny', input: { path: '/etc/*' } })]).toEqual([
      allowed,
      denied,
    ])
  })

  test('an address is no path, and its rule fits it', () => {
    const rule: readonly ApprovalRule[] = [{ action: 'allow', input: { url: 'https://example.com/*' } }]
    const fits = (url: string) => ruleFor(rule, call('get', { url })) !== undefined
    expect([fits('https://example.com/a?b=c'), fits('https://example.com/../a'), fits('https://example.com.evil/a')]).toEqual([
      true,
      false,
      false,
    ])
  })

  test('what a rule asks is remembered under its own pattern, or as it says', () => {
    const rule: ApprovalRule = { action: 'ask', tool: 'shell', input: { command: 'rm *' }, risk: 'high' }
    expect([requestOf(rule), requestOf({ ...rule, rememberAs: false, reason: 'why' })]).toEqual([
      { risk: 'high', rememberAs: 'rule {"tool":"shell","input":{"command":"rm *"}}' },
      { risk: 'high', reason: 'why', rememberAs: false },
    ])
  })
})
