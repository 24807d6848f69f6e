import type { Model, ModelDelta, ModelFinish } from '../../src/core/model.ts'
import { openaiCompatible } from '../../src/models/openai-chat/index.ts'
import { ChatResponse } from '../../src/models/openai-chat/response.ts'
import type { HttpReceiver } from '../../src/models/transport/transport.ts'
import type { WireApi, WireMeta } from '../setup/wire.ts'

/** Takes the bytes of one response. */
export interface ByteReceiver extends HttpReceiver {
  finish(): ModelFinish
}

/** How the recordings of an API are put to its adapter. */
export interface WireAdapter {
  /** A model that talks to a server at `baseURL`: what the recorded path has before it is for the adapter to say. */
  model(meta: WireMeta, baseURL: string, stream: boolean): Model
  /** What reads a response below the transport. */
  receiver(meta: WireMeta, sink: (delta: ModelDelta) => void): ByteReceiver
}

/** The adapters that there are, by the API that they speak. What is not here is reported as "no adapter yet". */
export const adapters: { readonly [api in WireApi]?: WireAdapter } = {
  'chat-completions': {
    model: (meta, baseURL, stream) => openaiCompatible({ baseURL, name: meta.provider, stream })(modelOf(meta)),
    receiver: ({ provider }, sink) => new ChatResponse({ provider }, sink),
  },
}

/** Some sources did not say which model it was. */
function modelOf({ model }: WireMeta): string {
  return model ?? 'a-model'
}
