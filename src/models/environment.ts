import { messageOf } from '../core/error.ts'

/** A variable of the environment, where there is an environment at all, and it may be read: Deno throws where it may not. */
export function environment(name: string): string | undefined {
  try {
    return read(name)
  } catch {
    return undefined
  }
}

/** Why a variable may not be read, as a sentence to follow another; nothing, where it may. */
export function unreadable(name: string): string {
  try {
    read(name)
    return ''
  } catch (error) {
    return ` The environment is hidden from this program: ${messageOf(error)}.`
  }
}

function read(name: string): string | undefined {
  return (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[name]
}
