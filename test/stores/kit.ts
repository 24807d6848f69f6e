import { expect } from 'vitest'
import type { RondoError } from '../../src/core/error.ts'

export async function failure(promise: Promise<unknown>): Promise<RondoError> {
  return promise.then(
    () => expect.fail('it did not fail'),
    (error) => error,
  )
}
