import { fakeOpenAIChat } from '../../src/testing/fake/chat/index.ts'
import type { Answer, Call } from '../../src/testing/fake/reply.ts'
import type { FakeRequest, FakeScript } from '../../src/testing/fake/server.ts'

/** Holds an answer back at one place, so that nothing in a test depends on time. */
export interface Gate {
  /** Resolves when the answer has come to it, and all before it has left. */
  readonly reached: Promise<void>
  /** Lets the rest of the answer out. */
  open(): void
}

interface ClosedGate extends Gate {
  /** Called by the server: resolves when it is open. */
  pass(): Promise<void>
}

export function gate(): Gate {
  let [open, reach] = [() => {}, () => {}]
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  const closed: ClosedGate = {
    reached,
    open,
    pass() {
      reach()
      return opened
    },
  }
  return closed
}

/**
 * An answer in pieces, each a delta of its own: texts, calls (behind all texts), and gates, each behind the piece before it.
 * `says('The tide ', gate, 'is high.')`, `says({ name: 'list_files', input: {} })`
 */
export function says(...pieces: readonly (string | Call | Gate)[]): Answer {
  const gates = new Map<number, ClosedGate>()
  const [texts, calls]: [string[], Call[]] = [[], []]
  for (const piece of pieces) {
    if (typeof piece === 'string') texts.push(piece)
    else if ('name' in piece) calls.push(piece)
    // A call is two deltas: its begin and its arguments.
    else if (isClosed(piece)) gates.set(texts.length + calls.length * 2, piece)
  }
  if (gates.has(0)) throw new Error('A gate stands behind something that is said.')
  return { text: texts, calls, afterDelta: (deltas) => gates.get(deltas)?.pass() }
}

/** An answer that says this and then nothing more: neither an end nor an error. */
export function saysAndHangs(...texts: readonly string[]): Answer {
  return { text: texts, breaks: { after: texts.length, with: 'hang' } }
}

/** An error that is not tried again, in words of the server's. */
export function refuses(message: string, status = 400): { readonly status: number; readonly body: unknown } {
  return { status, body: { error: { message, type: 'invalid_request_error', param: null, code: null } } }
}

function isClosed(piece: Gate): piece is ClosedGate {
  return 'pass' in piece
}

export interface ModelServer extends AsyncDisposable {
  /** What the command needs to be told: `--base-url … --model scripted`. */
  readonly flags: readonly string[]
  readonly url: string
  readonly requests: readonly FakeRequest[]
  /** Throws when a request broke a rule of the API, or when the script was not asked to its end. */
  assertDone(): void
}

/**
 * A model for a command in another process: a server on 127.0.0.1 with the Chat Completions API that gives the answers of its script in turn,
 * each streamed, and keeps the requests. What answers can be is in `src/testing/fake/reply.ts`; `says` makes the usual ones.
 */
export async function modelServer(script: FakeScript): Promise<ModelServer> {
  const server = await fakeOpenAIChat(script)
  return Object.assign(server, { flags: ['--base-url', server.url, '--model', 'scripted'] })
}
