import { expect, test } from 'vitest'
import type { ToolCallPart } from '../../../src/core/message.ts'
import { anyIds, fortyIds, idsOf, nineIds, wordIds } from '../../../src/models/history/ids.ts'

test('B016 ids of ours are made from the call, legal where they go, and differ where the calls do', () => {
  const calls = ['m1.0', 'm1.1', 'm11.0', 'm2.35', 'm60466175.1023']
  expect(calls.map(nineIds.make)).toEqual(['R00001000', 'R00001001', 'R0000b000', 'R0000200z', 'Rzzzzz0sf'])
  for (const { make } of [anyIds, wordIds, fortyIds])
    expect(calls.map(make)).toEqual(['call_m1_0', 'call_m1_1', 'call_m11_0', 'call_m2_35', 'call_m60466175_1023'])
})

test('B016 what a server gave goes back where it is legal', () => {
  const given = ['call_PTLP8xhu3uwZk4l3', 'toolu_01AbCd', 'call_x|fc_y', 'functions.read:0', 'D681PevKs', 'R00001000', 'call_m2_0']
  // One that looks like ours is somebody else's: it could meet one of ours.
  expect(given.map(anyIds.accepts)).toEqual([true, true, false, true, true, true, false])
  expect(given.map(fortyIds.accepts)).toEqual([true, true, false, true, true, true, false])
  expect(given.map(wordIds.accepts)).toEqual([true, true, false, false, true, true, false])
  expect(given.map(nineIds.accepts)).toEqual([false, false, false, false, true, false, false])
  const longest = (accepts: (id: string) => boolean) => Array.from({ length: 70 }, (_, n) => 'x'.repeat(n)).findLastIndex(accepts)
  expect([anyIds, wordIds, fortyIds, nineIds].map(({ accepts }) => longest(accepts))).toEqual([64, 64, 40, 9])
})

test('B014 an id that a model has written as ours are does not meet the one of a later call', () => {
  const called = (callId: string, providerCallId: string): ToolCallPart => ({
    type: 'tool-call',
    callId,
    toolName: 't',
    input: {},
    providerCallId,
  })
  for (const [ids, imitated] of [[anyIds, 'call_m2_0'] as const, [wordIds, 'call_m2_0'] as const, [nineIds, 'R00002000'] as const]) {
    const first = idsOf([called('m1.0', imitated)], new Set(), ids)
    // The id of the second call was there before, so it gets one of ours.
    const second = idsOf([called('m2.0', first[0] ?? '')], new Set(first), ids)
    expect(new Set([...first, ...second]).size).toBe(2)
  }
})

test('B016 calls of imported history get short ids too, all of them different', () => {
  const calls = Array.from({ length: 5_000 }, (_, n) => `019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b.${n >> 3}.${n & 7}`)
  const ids = calls.map(nineIds.make)
  expect(new Set(ids).size).toBe(calls.length)
  expect(ids.every((id) => /^S[0-9a-z]{8}$/.test(id) && !nineIds.accepts(id))).toBe(true)
  expect(calls.map(fortyIds.make)).toEqual(ids.map((id) => `call_${id}`))
})
