import { expect, test } from 'vitest'
import { anyIds, nineIds, wordIds } from '../../../src/models/history/ids.ts'

test('B016 ids of ours are made from the call, legal where they go, and differ where the calls do', () => {
  const calls = ['m1.0', 'm1.1', 'm11.0', 'm2.35', 'm60466175.1023']
  expect(calls.map(nineIds.make)).toEqual(['R00001000', 'R00001001', 'R0000b000', 'R0000200z', 'Rzzzzz0sf'])
  for (const { make, accepts } of [anyIds, wordIds]) expect(calls.map(make).every(accepts)).toBe(true)
  expect(anyIds.make('m3.0')).toBe('call_m3_0')
})

test('B016 what a server gave goes back where it is legal', () => {
  const given = ['call_PTLP8xhu3uwZk4l3', 'toolu_01AbCd', 'call_x|fc_y', 'functions.read:0', 'D681PevKs', 'R00001000', 'x'.repeat(65)]
  expect(given.map(anyIds.accepts)).toEqual([true, true, false, true, true, true, false])
  expect(given.map(wordIds.accepts)).toEqual([true, true, false, false, true, true, false])
  // One that looks like ours is somebody else's: it could meet one of ours.
  expect(given.map(nineIds.accepts)).toEqual([false, false, false, false, true, false, false])
})

test('B016 calls of imported history get nine letters and digits too, all of them different', () => {
  const calls = Array.from({ length: 5_000 }, (_, n) => `019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b.${n >> 3}.${n & 7}`)
  const ids = calls.map(nineIds.make)
  expect(new Set(ids).size).toBe(calls.length)
  expect(ids.every((id) => /^S[0-9a-z]{8}$/.test(id) && !nineIds.accepts(id))).toBe(true)
})
