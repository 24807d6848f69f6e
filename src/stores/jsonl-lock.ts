import { randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { RondoError } from '../core/error.ts'
import { errorCode, type Files, unlessMissing, withFile, writeAt } from './jsonl-files.ts'

/** Who holds a folder, as the name of a lock file says it. */
interface Owner {
  readonly pid: number
  /** When its process began, in the system's words; `unasked` where they can't be had. */
  readonly started: string
  /** Where process ids mean what they mean to it, as a part of a file name. */
  readonly place: string
}

export interface Lock {
  /** Whether the one before ended without giving it back: it crashed, or its machine did. */
  readonly isAfterCrash: boolean
  /** Throws when the folder is another's by now. */
  check(): Promise<void>
  release(): Promise<void>
}

const unasked = '0'
const lockName = /^lock-(\d+)-([\da-f]+)-[\da-f]{12}@(.+)$/
/** Two that come at once both step back, and come again at another time. */
const attempts = 4
const longestPauseMs = 60

/** How often a lock is written to by its owner, and how long one may be silent that only this can tell of (ms). */
const usual = { beatMs: 5_000, silentMs: 15_000 }
type Times = typeof usual

/**
 * Takes a folder for this store object alone; `ConfigInvalid` when another has it. Everybody puts a file of their own there, then looks for others: of
 * two that come at once at least one sees the other. No lock is ever taken over, only those of the dead are removed, and a name is used once, so that
 * nobody removes one that lives.
 */
export async function lockFolder(files: Files, folder: string, times: Times = usual): Promise<Lock> {
  const me: Owner = { pid: process.pid, started: startOf(process.pid) ?? unasked, place: placeOfIds() }
  const silent = new Set<string>()
  for (let attempt = 1; ; attempt++) {
    const name = `lock-${me.pid}-${me.started}-${randomBytes(6).toString('hex')}@${me.place}`
    const path = join(folder, name)
    await withFile(files, path, 'wx', async () => {})
    const others = (await files.readdir(folder)).filter((other) => other !== name && lockName.test(other))
    const living = others.filter((other) => !silent.has(other) && lifeOf(other, me) !== 'dead')
    if (living.length === 0) {
      for (const dead of others) await unlessMissing(files.unlink(join(folder, dead)))
      return held(files, path, others.length > 0, times)
    }
    // Whoever watches holds nothing: two that wait for the same silence would take each other for dead.
    await unlessMissing(files.unlink(path))
    const known = living.find((other) => lifeOf(other, me) === 'alive')
    const heard = known ?? (await firstToBeat(files, folder, living, times))
    if (heard === undefined) for (const other of living) silent.add(other)
    else if (attempt >= attempts || known === undefined) throw inUse(folder, heard, me)
    await setTimeout(Math.random() * longestPauseMs)
  }
}

/** A lock that says every few seconds that its owner lives. An owner that could not (its machine was asleep) looks first whether it is still there. */
function held(files: Files, path: string, isAfterCrash: boolean, { beatMs }: Times): Lock {
  const life = { at: momentOf(), isLost: false }
  const beat = async (): Promise<void> => {
    const at = momentOf()
    const found = await unlessMissing(withFile(files, path, 'r+', (handle) => writeAt(handle, Buffer.from('.'), 0).then(() => true)))
    if (found === undefined) life.isLost = true
    else life.at = at
  }
  const timer = setInterval(() => void beat().catch(() => {}), beatMs).unref()
  return {
    isAfterCrash,
    async check() {
      if (!life.isLost && since(life.at) >= 2 * beatMs) await beat()
      if (!life.isLost) return
      const why = `${path} is gone: this process was silent for long, and another has taken the folder, or somebody has deleted the file`
      throw new RondoError('SessionWriteFailed', `${why}. Nothing was written; open a new store.`, { retryable: false })
    },
    async release() {
      clearInterval(timer)
      await unlessMissing(files.unlink(path))
    },
  }
}

interface Moment {
  readonly wall: number
  readonly monotonic: number
}

function momentOf(): Moment {
  return { wall: Date.now(), monotonic: performance.now() }
}

/** By the clock that has gone further: one stands still while the machine sleeps, the other may be put back. */
function since({ wall, monotonic }: Moment): number {
  return Math.max(Date.now() - wall, performance.now() - monotonic)
}

/** The first of these locks that is written to; `undefined` when all are silent. No clocks are compared: that of the other may be another one. */
async function firstToBeat(
  files: Files,
  folder: string,
  locks: readonly string[],
  { beatMs, silentMs }: Times,
): Promise<string | undefined> {
  const seen = new Map<string, number | undefined>()
  for (const began = performance.now(); performance.now() - began < silentMs; await setTimeout(beatMs / 5)) {
    for (const lock of locks) {
      // Opened, as a network file system may answer from memory else.
      const at = await unlessMissing(withFile(files, join(folder, lock), 'r', async (handle) => (await handle.stat()).mtimeMs))
      if (seen.has(lock) && at !== undefined && seen.get(lock) !== at) return lock
      seen.set(lock, at)
    }
    if ([...seen.values()].every((at) => at === undefined)) return undefined
  }
  return undefined
}

/** `unknown`: of another machine or container, or where an id may have been given again, only its beat can tell. */
function lifeOf(name: string, me: Owner): 'alive' | 'dead' | 'unknown' {
  const { pid, started, place } = ownerOf(name)
  if (place !== me.place) return 'unknown'
  const isAsked = started !== unasked && me.started !== unasked
  if (isAsked) return startOf(pid) === started ? 'alive' : 'dead'
  try {
    process.kill(pid, 0)
    return 'unknown'
  } catch (error) {
    return errorCode(error) === 'EPERM' ? 'unknown' : 'dead'
  }
}

/** Two containers may have the same host name and the same process ids: on Linux the start of the system and the namespace of ids count too. */
function placeOfIds(): string {
  const parts = [hostname()]
  try {
    parts.push(readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim(), readlinkSync('/proc/self/ns/pid'))
  } catch {
    // Another system, or one that does not say.
  }
  return encodeURIComponent(parts.join(' '))
}

function ownerOf(name: string): Owner {
  const [, pid = '', started = '', place = ''] = lockName.exec(name) ?? []
  return { pid: Number(pid), started, place }
}

/**
 * When a process began: a process id is given again, both together are not. Only Linux says it in a file (proc_pid_stat(5), field 22, in ticks since the
 * machine began). `undefined` for one that is not there, or has ended and only waits to be noticed (state Z or X).
 */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' || state === 'X' ? undefined : Number(fields[18]).toString(16)
  } catch {
    return undefined
  }
}

function inUse(folder: string, name: string, me: Owner): RondoError {
  const { pid, place } = ownerOf(name)
  const host = decodeURIComponent(place.split('%20')[0] ?? '')
  const who = place !== me.place ? `process ${pid} on ${host}` : pid === me.pid ? 'another store of this process' : `process ${pid}`
  const what = `jsonlStore(): the folder ${folder} is in use by ${who}; a folder is for one store at a time.`
  return new RondoError(
    'ConfigInvalid',
    `${what} Close that one first, share one store object, or use a store for several processes (rondo/sqlite).`,
  )
}
