import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Store } from '../../src/core/store.ts'
import { type JsonlOptions, jsonlStore } from '../../src/stores/jsonl.ts'
import { fileNameOf } from '../../src/stores/jsonl-names.ts'

/** In a folder that is gone after the run of tests (`setup/temporary.ts`). */
export function newFolder(): string {
  return join(mkdtempSync(join(tmpdir(), 'rondo-jsonl-')), 'sessions')
}

export type Opened = Store & { readonly warnings: string[] }

/** A store that is closed when the test is over, and keeps its warnings. */
export function opened(directory: string, options?: Omit<JsonlOptions, 'directory'>): Opened {
  const warnings: string[] = []
  const store = jsonlStore({ directory, onWarning: (message) => warnings.push(message), ...options })
  onTestFinished(() => store.close())
  return Object.assign(store, { warnings })
}

/** The file of a session. */
export function fileOf(directory: string, sessionId = 's'): string {
  return join(directory, fileNameOf(sessionId))
}

export function linesIn(directory: string, sessionId = 's'): readonly string[] {
  return readFileSync(fileOf(directory, sessionId), 'utf8').split('\n')
}

export function locksIn(directory: string): readonly string[] {
  return readdirSync(directory).filter((name) => name.startsWith('lock-'))
}
