import type { Decision, Pending } from '../../src/index.ts'
import { type Child, startChild } from './children.ts'

export interface Refused {
  readonly code: string
  readonly message: string
}

/** How a run ended, and what was refused: each answer has one of the two. */
export interface Ended {
  readonly status: string
  readonly reason: string
  readonly text: string
}

export type Answer<T> = { readonly value: T; readonly error?: undefined } | { readonly value?: undefined; readonly error: Refused }

/** A process that does with the sessions of any folder what it is told. */
export interface Clerk {
  readonly child: Child
  run(folder: string, options?: object): Promise<Answer<Ended>>
  resume(folder: string, options?: object): Promise<Answer<Ended>>
  pending(folder: string): Promise<Answer<readonly Pending[]>>
  decide(folder: string, decision: Decision): Promise<Answer<undefined>>
  submit(folder: string, callId: string, output: unknown): Promise<Answer<undefined>>
  send(folder: string, text: string): Promise<Answer<undefined>>
}

/** `speaks`: it never drives. */
export function startClerk(name: string, manner: 'drives' | 'speaks', module = 'shop'): Clerk {
  const child = startChild('clerk', name, manner, module)
  let orders = 0
  const ask = async (folder: string, method: string, ...args: unknown[]) => {
    const id = `${name}${++orders}`
    child.tell({ id, folder, method, args })
    return JSON.parse(await child.line(`{"id":"${id}"`))
  }
  return {
    child,
    run: (folder, options = {}) => ask(folder, 'run', options),
    resume: (folder, options = {}) => ask(folder, 'resume', options),
    pending: (folder) => ask(folder, 'pending'),
    decide: (folder, decision) => ask(folder, 'decide', decision),
    submit: (folder, callId, output) => ask(folder, 'submitToolResult', callId, output),
    send: (folder, text) => ask(folder, 'send', text),
  }
}
