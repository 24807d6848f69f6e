import type { ModelCapabilities, ModelDelta, ModelRequest } from '../../core/model.ts'
import type { ApiAnswerer, ResponseDecoder } from './decoder.ts'

/** What an adapter is besides the transport: its two pure halves, and where its server is. */
export interface HttpApi extends Pick<ApiAnswerer, 'answerOf' | 'emptyMeansOverflow' | 'tellsOverflow' | 'json'> {
  /** Names the server in errors, in `providerOptions` and in the journal. */
  readonly provider: string
  /** Where requests go. */
  readonly url: string
  /** The environment variable that holds the key when none is given. */
  readonly keyVariable: string | undefined
  /** Headers that say who asks, by their small names. The first one of each kind a user may give instead. */
  credentials(key: string): { readonly [name: string]: string }
  /** Further headers, by their small names. */
  readonly headers?: { readonly [name: string]: string }
  /** What is assumed of its models. */
  readonly capabilities: ModelCapabilities
  /** The body of a request, in pieces, sent as one. */
  body(request: ModelRequest, sessionId: string): readonly Uint8Array[]
  decoder(from: ApiAnswerer, sink: (delta: ModelDelta) => void, request: ModelRequest): ResponseDecoder
}
