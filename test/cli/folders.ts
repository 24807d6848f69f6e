import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'

const made: string[] = []

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A folder that is gone after the test, with these files in it. */
export function newFolder(files: { readonly [name: string]: string } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'rondo-cli-'))
  made.push(folder)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}
