import type { FakeApi, FakeOptions, FakeScript, FakeServer } from '../server.ts'
import { fakeServer } from '../server.ts'
import { violation } from '../violation.ts'
import { bodyText, streamFrames } from './bytes.ts'
import type { ResponsesQuirks, ResponsesRules } from './quirks.ts'
import { checkBody } from './rules.ts'

export type ResponsesOptions = FakeOptions<ResponsesQuirks, ResponsesRules>

/** A server of the Responses API for tests: OpenAI's, or another's by its quirks and rules. */
export function fakeResponses(script: FakeScript<ResponsesQuirks>, options: ResponsesOptions = {}): Promise<FakeServer> {
  return fakeServer(api, script, options)
}

const api: FakeApi<ResponsesQuirks, ResponsesRules> = {
  base: '/v1',
  streamType: 'text/event-stream; charset=utf-8',
  checkBody,
  checkHead({ method, path, headers }, apiKey) {
    if (method !== 'POST' || !/^[^?]*\/responses(?:\?|$)/.test(path)) return violation('url', null, `Invalid URL (${method} ${path})`)
    if (apiKey === undefined || headers.authorization === `Bearer ${apiKey}` || headers['api-key'] === apiKey) return undefined
    return violation('key', null, 'Incorrect API key provided.', 'invalid_api_key')
  },
  refusal({ message, param, code, rule }) {
    const status = rule === 'url' ? 404 : rule === 'key' ? 401 : 400
    return { status, body: { error: { message, type: 'invalid_request_error', param, code } } }
  },
  asksForStream: (body) => body['stream'] === true,
  frames: streamFrames,
  whole: bodyText,
  callId: (n) => `call_${String(n).padStart(5, '0')}`,
}
