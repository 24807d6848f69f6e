import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { RondoError } from '../core/error.ts'
import { errorCode, type Files, unlessMissing, withFile } from './jsonl-files.ts'

/** Who holds a folder, as the name of a lock file says it. */
interface Owner {
  readonly pid: number
  /** When its process began, in the system's words; `unasked` where they can't be had. */
  readonly started: string
  readonly host: string
}

export interface Lock {
  /** Whether the one before ended without giving it back: it crashed, or its machine did. */
  readonly isAfterCrash: boolean
  release(): Promise<void>
}

const unasked = '0'
const lockName = /^lock-(\d+)-([\da-f]+)-[\da-f]{12}@(.+)$/
/** Two that come at once both step back, and come again at another time. */
const attempts = 4
const longestPauseMs = 60

/**
 * Takes a folder for this store object alone; `ConfigInvalid` when another has it. Everybody puts a file of their own there, then looks for others: of
 * two that come at once at least one sees the other. No lock is ever taken over, only those of the dead are removed, and a name is used once, so that
 * nobody removes one that lives.
 */
export async function lockFolder(files: Files, folder: string): Promise<Lock> {
  const me: Owner = { pid: process.pid, started: startOf(process.pid) ?? unasked, host: encodeURIComponent(hostname()) }
  for (let attempt = 1; ; attempt++) {
    const name = `lock-${me.pid}-${me.started}-${randomBytes(6).toString('hex')}@${me.host}`
    const path = join(folder, name)
    const release = async (): Promise<void> => void (await unlessMissing(files.unlink(path)))
    await withFile(files, path, 'wx', async () => {})
    const others = (await files.readdir(folder)).filter((other) => other !== name && lockName.test(other))
    const living = others.filter((other) => isAlive(other, me))
    if (living.length === 0) {
      for (const dead of others) await unlessMissing(files.unlink(join(folder, dead)))
      return { isAfterCrash: others.length > 0, release }
    }
    await release()
    if (attempt === attempts) throw inUse(folder, living[0] ?? '', me)
    await setTimeout(Math.random() * longestPauseMs)
  }
}

/** Of another machine nothing can be known: it counts as alive. */
function isAlive(name: string, me: Owner): boolean {
  const { pid, started, host } = ownerOf(name)
  if (host !== me.host) return true
  const isAsked = started !== unasked && me.started !== unasked
  const now = isAsked ? startOf(pid) : undefined
  if (now !== undefined) return now === started
  try {
    process.kill(pid, 0)
    // It has an id, but it has ended.
    return !isAsked
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

function ownerOf(name: string): Owner {
  const [, pid = '', started = '', host = ''] = lockName.exec(name) ?? []
  return { pid: Number(pid), started, host }
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
  const { pid, host } = ownerOf(name)
  const who =
    host !== me.host ? `process ${pid} on ${decodeURIComponent(host)}` : pid === me.pid ? 'another store of this process' : `process ${pid}`
  const what = `jsonlStore(): the folder ${folder} is in use by ${who}; a folder is for one store at a time.`
  const next = `Close that one first, share one store object, or use a store for several processes (rondo/sqlite). If that process is surely gone, delete ${join(folder, name)}.`
  return new RondoError('ConfigInvalid', `${what} ${next}`)
}
