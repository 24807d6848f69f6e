import { expect, test } from 'vitest'
import { retryAfterMs, shouldRetry } from '../../../src/models/transport/retry-after.ts'

/** Sunday, 6 November 1994, 08:49:00 GMT. */
const now = Date.UTC(1994, 10, 6, 8, 49, 0)
const from = (headers: { readonly [name: string]: string }) => retryAfterMs((name) => headers[name], now)

test.each([
  ['37', 37_000],
  ['0', 0],
  [' 2 ', 2_000],
  ['0.25', 250],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 37_000],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 37_000],
  ['Sun Nov  6 08:49:37 1994', 37_000],
  ['Mon, 07 Nov 1994 08:49:00 GMT', 86_400_000],
  ['Sunday, 06-Nov-44 08:49:00 GMT', Date.UTC(2044, 10, 6, 8, 49) - now],
])('B105 retry-after: %s', (value, ms) => {
  expect(from({ 'retry-after': value })).toBe(ms)
})

test.each([
  '',
  '  ',
  '-1',
  'NaN',
  'Infinity',
  '1e400',
  `1${'0'.repeat(400)}`,
  '0x10',
  '12 s',
  'soon',
  'Sun, 06 Nov 1994 08:48:59 GMT', // past
  'Sunday, 06-Nov-93 08:49:37 GMT', // past
  'Sunday, 06-Nov-45 08:49:37 GMT', // more than 50 years ahead means 1945
  'Sun, 06 Nov 1994',
  'Sun, 06 Foo 1994 08:49:37 GMT',
  '2094-11-06T08:49:37Z',
  'Sun, 06 Nov 1994 08:49:37 PST',
])('B105 retry-after: "%s" says nothing', (value) => {
  expect(from({ 'retry-after': value })).toBeUndefined()
})

test('B105 retry-after-ms is finer and wins, if it can be read', () => {
  expect(from({ 'retry-after-ms': '1250.5', 'retry-after': '2' })).toBe(1_250.5)
  expect(from({ 'retry-after-ms': '', 'retry-after': '2' })).toBe(2_000)
  expect(from({ 'retry-after-ms': 'x' })).toBeUndefined()
  expect(from({})).toBeUndefined()
})

test('B105 a date counts from the date of the server, whose clock may be hours from ours', () => {
  const at = { 'retry-after': 'Sun, 06 Nov 1994 12:00:30 GMT' }
  expect(from({ ...at, date: 'Sun, 06 Nov 1994 12:00:00 GMT' })).toBe(30_000)
  expect(from({ ...at, date: 'Sun, 06 Nov 1994 12:00:31 GMT' })).toBeUndefined()
  expect(from({ ...at, date: 'now' })).toBe(Date.UTC(1994, 10, 6, 12, 0, 30) - now)
})

test('x-should-retry', () => {
  const said = (value?: string) => shouldRetry((name) => (name === 'x-should-retry' ? value : undefined))
  expect([said('true'), said(' False '), said('maybe'), said('')]).toEqual([true, false, undefined, undefined])
  expect(said()).toBeUndefined()
})
