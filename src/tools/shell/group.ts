import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** Ends all in a process group: SIGTERM, and after `graceMs` SIGKILL for those who are still there. */
export async function endGroup(group: number, graceMs: number): Promise<void> {
  if (!lives(group)) return
  signalGroup(group, 'SIGTERM')
  if (await isGone(group, graceMs)) return
  signalGroup(group, 'SIGKILL')
  await isGone(group, killMs)
}

/** How long the kernel may take to end what is killed, in ms. */
const killMs = 100

async function isGone(group: number, waitMs: number): Promise<boolean> {
  const until = performance.now() + waitMs
  while (lives(group)) {
    if (performance.now() >= until) return false
    await delay(10)
  }
  return true
}

/** False if there is nobody in the group (any more) who could be told. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal)
  } catch {
    return false
  }
}

/** Whether somebody in the group runs. A member that has ended stays until its parent looks, and in a container that may be never: it does not count. */
function lives(group: number): boolean {
  if (!signalGroup(group, 0)) return false
  if (process.platform !== 'linux') return true
  try {
    const states = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (stateIn(group, name) ?? []) : []))
    return states.length === 0 || states.includes('alive')
  } catch {
    return true
  }
}

/** From `/proc/<pid>/stat`: the name in brackets, then state, parent, group (proc(5)). */
function stateIn(group: number, pid: string): 'alive' | 'ended' | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, , own] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (Number(own) !== group) return undefined
    return state === 'Z' || state === 'X' ? 'ended' : 'alive'
  } catch {
    return undefined
  }
}
