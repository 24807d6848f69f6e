import { RondoError } from '../../../src/core/error.ts'
import type { HttpHead, HttpRequest, Transport } from '../../../src/models/transport/transport.ts'
import { defaultMaxBytes, defaultTimeouts } from '../../../src/models/transport/transport.ts'

export interface CallOptions extends Partial<Omit<HttpRequest, 'url' | 'body'>> {
  readonly body?: string | readonly Uint8Array[]
  readonly onHead?: (head: HttpHead) => void
  readonly onChunk?: (bytes: Uint8Array, text: string) => void | 'complete'
}

/** What came of one request: all of a response, or the error with what came before it. */
export interface Called {
  readonly status?: number
  readonly header: (name: string) => string | undefined
  readonly text: string
  readonly chunks: number
  readonly error?: RondoError
}

export async function call(transport: Transport, url: string, options: CallOptions = {}): Promise<Called> {
  const { body, onHead, onChunk, ...rest } = options
  const seen: { head?: HttpHead; text: string; chunks: number } = { text: '', chunks: 0 }
  const decoder = new TextDecoder()
  const request: HttpRequest = {
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? [new TextEncoder().encode(body)] : (body ?? []),
    timeouts: defaultTimeouts,
    maxBytes: defaultMaxBytes,
    signal: new AbortController().signal,
    ...rest,
  }
  const result = (error?: RondoError): Called => ({
    ...(seen.head === undefined ? {} : { status: seen.head.status }),
    header: (name) => seen.head?.header(name),
    text: seen.text,
    chunks: seen.chunks,
    ...(error === undefined ? {} : { error }),
  })
  try {
    await transport(request, {
      head(head) {
        seen.head = head
        onHead?.(head)
      },
      chunk(bytes) {
        const text = decoder.decode(bytes, { stream: true })
        seen.text += text
        seen.chunks++
        return onChunk?.(bytes, text)
      },
    })
    return result()
  } catch (error) {
    if (!RondoError.is(error)) throw error
    return result(error)
  }
}

export function brief(
  error: RondoError | undefined,
): [code: string | undefined, retryable: boolean | undefined, message: string | undefined] {
  return [error?.code, error?.retryable, error?.message]
}
