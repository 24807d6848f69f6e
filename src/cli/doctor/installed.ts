import { readFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { join } from 'node:path'

/** What a computer has, as far as Rondo cares: a port, so that a test can be another computer. */
export interface Installed {
  /** Of Rondo. */
  readonly version: string
  /** Of Node, as `20.19.0`. */
  readonly node: string
  readonly hasNodeSqlite: boolean
  /** The version of a package that Rondo would find; `undefined` where there is none. */
  packageVersion(name: string): string | undefined
  readonly fetch: typeof globalThis.fetch
}

export function installedHere(version: string): Installed {
  return { version, node: process.versions.node, hasNodeSqlite: isBuiltin('node:sqlite'), packageVersion, fetch: globalThis.fetch }
}

/** By its manifest: what a package exports does not matter, and nothing of it is run. */
export function packageVersion(name: string): string | undefined {
  for (const folder of createRequire(import.meta.url).resolve.paths(name) ?? []) {
    try {
      const manifest: unknown = JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8'))
      return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : 'unknown'
    } catch {
      // The next folder may have it.
    }
  }
  return undefined
}
