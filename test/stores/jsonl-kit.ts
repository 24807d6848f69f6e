import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync } from 'node:fs'
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

/** The folder as the crash of its process leaves it: the lock is there, and of nobody who lives. Ids of processes end at 2^22 on Linux. */
export function leaveDead(directory: string): void {
  for (const lock of locksIn(directory))
    renameSync(join(directory, lock), join(directory, lock.replace(/^lock-\d+-[\da-f]+/, `lock-${2 ** 22 + 1}-abc`)))
}

/** What the disk holds now, as the next process finds it when this one dies at this moment. */
export function crashed(directory: string): string {
  const copy = newFolder()
  cpSync(directory, copy, { recursive: true })
  leaveDead(copy)
  return copy
}
