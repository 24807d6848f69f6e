import { afterEach, expect, test, vi } from 'vitest'
import { environment, unreadable } from '../../src/models/environment.ts'

afterEach(() => void vi.unstubAllGlobals())

const read = () => [environment('RONDO_TEST_KEY'), unreadable('RONDO_TEST_KEY')]

test('a variable of the environment, and nothing where there is none', () => {
  const seen = [{ env: { RONDO_TEST_KEY: 'k' } }, { env: {} }, {}, undefined].map((process) => {
    vi.stubGlobal('process', process)
    const found = read()
    vi.unstubAllGlobals()
    return found
  })
  expect(seen).toEqual([
    ['k', ''],
    [undefined, ''],
    [undefined, ''],
    [undefined, ''],
  ])
})

test('where it may not be read, as in Deno without a permission, there is none, and why can be said', () => {
  const env = new Proxy(
    {},
    {
      get(_target, name) {
        throw new Error(`Requires env access to "${String(name)}", run again with the --allow-env flag`)
      },
    },
  )
  vi.stubGlobal('process', { env })
  const seen = read()
  vi.unstubAllGlobals()
  expect(seen).toEqual([
    undefined,
    ' The environment is hidden from this program: Requires env access to "RONDO_TEST_KEY", run again with the --allow-env flag.',
  ])
})
