import { expect } from 'vitest'
import { RondoError } from '../../../src/core/error.ts'
import type { Message } from '../../../src/core/message.ts'

export type End = { readonly message: Message } | { readonly error: RondoError }

/** What a body ends in: a message or a typed error; anything else is thrown on. */
export function endOf(read: () => { readonly message: Message }): End {
  try {
    return { message: read().message }
  } catch (error) {
    if (RondoError.is(error) && error.category === 'model') return { error }
    throw error
  }
}

/** The arguments of calls that would run. */
function runnable(end: End): unknown[] {
  if ('error' in end) return []
  return end.message.parts.flatMap((part) =>
    part.type === 'tool-call' && part.providerExecuted !== true && part.inputError === undefined ? [part.input] : [],
  )
}

/** Bytes cut, doubled and damaged anywhere: the end is a message or a typed error. `read` reads all of them. Says how many were whole where they were cut. */
export function fuzz(
  good: Uint8Array,
  read: (bytes: Uint8Array) => { readonly message: Message },
  isCall: (input: unknown) => boolean,
): number {
  let complete = 0
  for (let cut = 0; cut < good.length; cut++) {
    const end = endOf(() => read(good.subarray(0, cut)))
    expect(runnable(end).filter((input) => !isCall(input))).toEqual([])
    if ('message' in end) complete++
  }
  const ends = { message: 0, error: 0 }
  const count = (bytes: Uint8Array) => {
    ends['error' in endOf(() => read(bytes)) ? 'error' : 'message']++
  }
  for (let from = 0; from < good.length; from += Math.max(3, Math.ceil(good.length / 300)))
    for (const length of [1, 20, 120]) count(new Uint8Array([...good.subarray(0, from + length), ...good.subarray(from)]))
  let state = 1
  const random = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return state / 0x7fffffff
  }
  for (let round = 0; round < 3_000; round++) {
    const bytes = Uint8Array.from(good)
    for (let damage = 0; damage <= round % 4; damage++) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256)
    count(bytes)
  }
  expect(Math.min(ends.message, ends.error)).toBeGreaterThan(100)
  return complete
}
