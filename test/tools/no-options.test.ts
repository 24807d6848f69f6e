import { expect, test } from 'vitest'
import { jsonlStore } from '../../src/stores/jsonl.ts'
import { readTools, sandboxTools, shellTool, writeTools } from '../../src/tools/index.ts'
import { thrown } from '../acceptance/kit.ts'

test.each([
  ['readTools', readTools, "readTools({ root: '.' })"],
  ['writeTools', writeTools, "writeTools({ root: '.' })"],
  ['sandboxTools', sandboxTools, "sandboxTools({ root: '.' })"],
  ['shellTool', shellTool, "shellTool({ cwd: '.' })"],
  ['jsonlStore', jsonlStore, "jsonlStore({ directory: 'sessions' })"],
] as const)('%s() without its one option says which, and how', (_name, make, how) => {
  const error = thrown(() => (make as (options?: unknown) => unknown)())
  expect([error.code, error.message]).toEqual(['ConfigInvalid', expect.stringContaining(how)])
})

test('an option of jsonlStore that there is not is named, with those that there are', () => {
  const error = thrown(() => jsonlStore({ dir: 'x' } as never))
  expect(error.message).toBe("jsonlStore(): unknown option 'dir'; there are directory, synchronous, clock, onWarning.")
})
