import { appendFileSync, mkdirSync, readdirSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { realFiles } from '../../src/stores/jsonl-files.ts'
import { type Lock, lockFolder } from '../../src/stores/jsonl-lock.ts'
import { locksIn, newFolder } from './jsonl-kit.ts'
import { failure } from './kit.ts'

const times = { beatMs: 20, silentMs: 150 }
const elsewhere = 'lock-1-1-0123456789ab@elsewhere%20boot%20pid'

function folderWith(lock: string): string {
  const folder = newFolder()
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, lock), '')
  return folder
}

async function locked(folder: string): Promise<Lock> {
  const lock = await lockFolder(realFiles, folder, times)
  onTestFinished(() => lock.release())
  return lock
}

test('jsonl: a lock of another machine or container that is written to holds, and the error names it', async () => {
  const folder = folderWith(elsewhere)
  const beat = setInterval(() => appendFileSync(join(folder, elsewhere), '.'), 20)
  onTestFinished(() => clearInterval(beat))
  expect((await failure(locked(folder))).message).toContain('is in use by process 1 on elsewhere;')
  expect(locksIn(folder)).toEqual([elsewhere])
})

test('jsonl: one that is silent is removed', async () => {
  const folder = folderWith(elsewhere)
  expect((await locked(folder)).isAfterCrash).toBe(true)
  expect(locksIn(folder)).toEqual([expect.stringContaining(`lock-${process.pid}-`)])
})

test('jsonl: of several that wait for the silence of one at most one gets the folder', async () => {
  const folder = folderWith(elsewhere)
  const results = await Promise.allSettled([locked(folder), locked(folder)])
  expect(results.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1)
})

test('jsonl: a lock that was given back while it was watched is none', async () => {
  const folder = folderWith(elsewhere)
  setTimeout(() => unlinkSync(join(folder, elsewhere)), 30)
  expect((await locked(folder)).isAfterCrash).toBe(false)
})

test('jsonl: whoever holds a folder is heard', async () => {
  const folder = newFolder()
  mkdirSync(folder, { recursive: true })
  await locked(folder)
  const [own = ''] = readdirSync(folder)
  // As somebody in another container sees it.
  const place = 'another%20boot%20pid'
  const seen = Object.assign({ ...realFiles }, { readdir: async () => [own.replace(/@.*/, `@${place}`)] })
  const open: typeof realFiles.open = (path, flags, mode) =>
    realFiles.open(String(path).replace(place, own.split('@')[1] ?? ''), flags, mode)
  const files = Object.assign(seen, { open }) as unknown as typeof realFiles
  expect((await failure(lockFolder(files, folder, times))).message).toContain('on another;')
})

test('jsonl: who was silent and has lost the folder writes nothing more', async () => {
  const folder = newFolder()
  mkdirSync(folder, { recursive: true })
  const lock = await locked(folder)
  await lock.check()
  unlinkSync(join(folder, readdirSync(folder)[0] ?? ''))
  await new Promise((resolve) => setTimeout(resolve, 2 * times.beatMs + 1))
  expect(await failure(lock.check())).toMatchObject({ code: 'SessionWriteFailed', retryable: false })
  await lock.release()
  expect(locksIn(folder)).toEqual([])
})
