import { request as httpRequest } from 'node:http'
import { type ChatOptions, fakeOpenAIChat } from '../../../src/testing/fake/chat/index.ts'
import type { ChatAnswer, ChatQuirks } from '../../../src/testing/fake/chat/quirks.ts'
import type { FakeScript, FakeServer } from '../../../src/testing/fake/server.ts'

const servers: FakeServer[] = []

/** Belongs in the `afterEach` of a test file that starts servers. */
export async function closeServers(): Promise<void> {
  for (const server of servers.splice(0)) await server.close()
}

/** A fake server that `closeServers` ends. */
export async function start(script: FakeScript<ChatQuirks>, options?: ChatOptions): Promise<FakeServer> {
  const server = await fakeOpenAIChat(script, options)
  servers.push(server)
  return server
}

export interface Received {
  readonly status: number
  readonly contentType: string | undefined
  readonly text: string
  /** The chunks of the HTTP framing. */
  readonly chunks: readonly Buffer[]
  readonly ended: 'whole' | 'lost'
}

const body = (more: object = {}) => ({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...more })

/** Sends one good request with what is given besides, and leaves after so many chunks. */
export function ask(url: string, more: object, leaveAfter = Number.POSITIVE_INFINITY): Promise<Received> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const sent = httpRequest(`${url}/chat/completions`, { method: 'POST', headers: { 'content-type': 'application/json' } }, (response) => {
      const done = (ended: Received['ended']) =>
        resolve({
          status: response.statusCode ?? 0,
          contentType: response.headers['content-type'],
          text: Buffer.concat(chunks).toString(),
          chunks,
          ended,
        })
      response.on('data', (chunk) => {
        chunks.push(chunk)
        if (chunks.length >= leaveAfter) sent.destroy()
      })
      response.on('end', () => done('whole'))
      response.on('error', () => done('lost'))
    })
    sent.on('error', reject)
    sent.end(JSON.stringify(body(more)))
  })
}

export const streamed = { stream: true, stream_options: { include_usage: true } }

export interface Delta {
  readonly choices: readonly { readonly delta: Readonly<Record<string, unknown>>; readonly finish_reason: string | null }[]
  readonly usage?: object
}

/** The chunks of one streamed answer. */
export async function chunksOf(answer: ChatAnswer, quirks: ChatQuirks = {}, more: object = streamed): Promise<Delta[]> {
  const { url } = await start([answer], { quirks })
  const { text } = await ask(url, more)
  return text.split('\n\n').flatMap((event) => (event.startsWith('data: {') ? [JSON.parse(event.slice(6))] : []))
}

/** The deltas without the chunk of the role and that of the end. */
export const deltasOf = async (answer: ChatAnswer, quirks: ChatQuirks = {}) =>
  (await chunksOf(answer, quirks))
    .flatMap(({ choices }) => choices.map(({ delta }) => delta))
    .filter((delta) => !('role' in delta) && Object.keys(delta).length > 0)

/** What each chunk begins with. */
export const head = { id: 'chatcmpl-fake', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'm' }
