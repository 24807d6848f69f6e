import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where the system looks for its folder of temporary files, by platform. */
const variables = ['TMPDIR', 'TEMP', 'TMP']

let folder: string | undefined

/**
 * Whatever the tests, and the processes they start, put into the system's temporary folder lies in one folder of this run, which is gone after it:
 * also what a test left that failed or was killed.
 */
export function setup(): void {
  folder = mkdtempSync(join(tmpdir(), 'rondo-tests-'))
  for (const variable of variables) process.env[variable] = folder
}

export function teardown(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
}
