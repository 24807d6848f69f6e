import { Assembler } from '../../src/core/assemble.ts'
import { type ErrorData, RondoError } from '../../src/core/error.ts'
import type { Message } from '../../src/core/message.ts'
import type { ModelDelta, ModelFinish, ModelRequest } from '../../src/core/model.ts'
import type { Exchange } from '../setup/wire.ts'
import type { WireAdapter } from './adapters.ts'
import type { WireServer } from './server.ts'

/** What an adapter makes of a response. */
export type Outcome =
  | { readonly message: Message; readonly finish: ModelFinish; readonly error?: undefined }
  | { readonly error: ErrorData; readonly message?: undefined }

/** How many deltas came in all: the tests tell it. */
export const counted = { deltas: 0 }

/** A response read below the transport, in these pieces. */
export function decode(adapter: WireAdapter, { meta, header }: Exchange, pieces: readonly Uint8Array[], n = 1): Outcome {
  return outcomeOf(n, (sink) => {
    const receiver = adapter.receiver(meta, sink)
    receiver.head({ status: meta.status, header: (name) => (name.toLowerCase() === 'content-type' ? meta.contentType : header(name)) })
    for (const piece of pieces) if (receiver.chunk(piece) === 'complete') break
    return receiver.finish()
  })
}

const hello: ModelRequest = {
  instructions: '',
  messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
  tools: [],
  toolChoice: 'auto',
  settings: {},
  purpose: 'main',
}

/** The same over a real socket. */
export async function fetchOver(
  server: WireServer,
  adapter: WireAdapter,
  exchange: Exchange,
  pieces: readonly Uint8Array[],
): Promise<Outcome> {
  const { baseURL } = server.give(exchange, pieces)
  const { meta } = exchange
  const model = adapter.model(meta, { baseURL, stream: meta.streamRequested ?? meta.streaming })
  return outcomeOf(1, (sink) => model.stream(hello, sink, { signal: new AbortController().signal, sessionId: exchange.name }))
}

function outcomeOf(n: number, run: (sink: (delta: ModelDelta) => void) => ModelFinish): Outcome
function outcomeOf(n: number, run: (sink: (delta: ModelDelta) => void) => Promise<ModelFinish>): Promise<Outcome>
function outcomeOf(n: number, run: (sink: (delta: ModelDelta) => void) => ModelFinish | Promise<ModelFinish>): Outcome | Promise<Outcome> {
  const assembler = new Assembler({ n })
  const done = (finish: ModelFinish): Outcome => ({ message: assembler.finish(), finish })
  try {
    const finish = run((delta) => {
      counted.deltas++
      assembler.push(delta)
    })
    return finish instanceof Promise ? finish.then(done, failed) : done(finish)
  } catch (error) {
    return failed(error)
  }
}

/** Anything but an error of ours is a crash, and fails the test as it is. */
function failed(error: unknown): Outcome {
  if (!RondoError.is(error) || error.category !== 'model') throw error
  return { error: error.toData() }
}
