import type { FakeApi, FakeOptions, FakeScript, FakeServer } from '../server.ts'
import { fakeServer } from '../server.ts'
import { violation } from '../violation.ts'
import { bodyText, streamFrames } from './bytes.ts'
import type { OllamaQuirks, OllamaRules } from './quirks.ts'
import { checkBody } from './rules.ts'

export type FakeOllamaOptions = FakeOptions<OllamaQuirks, OllamaRules>

/** An Ollama server for tests (`/api/chat`). It refuses what the real one would ignore in silence too: fields that it does not know. */
export function fakeOllama(script: FakeScript<OllamaQuirks>, options: FakeOllamaOptions = {}): Promise<FakeServer> {
  return fakeServer(api, script, options)
}

const api: FakeApi<OllamaQuirks, OllamaRules> = {
  base: '',
  streamType: 'application/x-ndjson',
  checkBody,
  checkHead({ method, path, headers }, apiKey) {
    if (method !== 'POST' || !/\/api\/chat(?:\?|$)/.test(path)) return violation('url', null, '404 page not found')
    return apiKey === undefined || headers.authorization === `Bearer ${apiKey}` ? undefined : violation('key', null, 'unauthorized')
  },
  refusal({ message, rule }) {
    if (rule === 'url') return { status: 404, contentType: 'text/plain', body: message }
    return { status: rule === 'key' ? 401 : rule === 'model' ? 404 : 400, body: { error: message } }
  },
  asksForStream: (body) => body['stream'] !== false,
  frames: streamFrames,
  whole: bodyText,
  callId: (n) => `call_${String(n).padStart(8, '0')}`,
}
