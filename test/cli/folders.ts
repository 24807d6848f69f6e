import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder with these files in it. It is gone after the run of tests (`setup/temporary.ts`). */
export function newFolder(files: { readonly [name: string]: string } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'rondo-cli-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}
