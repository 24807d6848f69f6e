import type { Json, Store } from '../index.ts'
import type { ToolFlags } from './toolset.ts'

/** How a session began: what a command that goes on with it must know before it reads more. */
export interface Beginning {
  readonly folder?: string
  /** Its tools were those of a sandbox. */
  readonly sandbox?: boolean
}

/** As metadata of the session that a run creates. */
export function beginning(folder: string, { sandbox }: ToolFlags): { readonly [key: string]: Json } {
  return sandbox === true ? { folder, sandbox } : { folder }
}

/** Reads no more of the session than its first entry; `undefined` where there is none. */
export async function beginningOf(sessionId: string, store: Store): Promise<Beginning | undefined> {
  for await (const entry of store.load(sessionId)) return entry.kind === 'session' ? beginningIn(entry.data.metadata) : {}
  return undefined
}

export function beginningIn(metadata: { readonly [key: string]: Json | undefined } | undefined): Beginning {
  const [folder, sandbox] = [metadata?.['folder'], metadata?.['sandbox']]
  return { ...(typeof folder === 'string' ? { folder } : {}), ...(sandbox === true ? { sandbox } : {}) }
}

/** A session that began in a sandbox goes on in one: its tools must not all at once mean the disk. */
export function keptIn<Flags extends ToolFlags>(flags: Flags, begun: Beginning | undefined): Flags {
  return begun?.sandbox === true ? { ...flags, sandbox: true } : flags
}

/** What there is to say of it. */
export const sandboxBeginsAnew = 'The session began in a sandbox and goes on in a new one: what was changed in that one is gone.'

/** Sessions that are looked at for one of a folder. */
const maxLooked = 200

/** The session of this folder that was at work last, but for `except`. */
export async function newestIn(folder: string, store: Store, except?: string): Promise<string | undefined> {
  for (const { sessionId } of await store.list({ limit: maxLooked }))
    if (sessionId !== except && (await beginningOf(sessionId, store))?.folder === folder) return sessionId
  return undefined
}
