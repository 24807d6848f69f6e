import type { FakeApi, FakeOptions, FakeScript, FakeServer } from '../server.ts'
import { fakeServer } from '../server.ts'
import { violation } from '../violation.ts'
import { messageText, streamFrames } from './bytes.ts'
import type { MessagesRules } from './messages-rules.ts'
import type { MessagesQuirks } from './quirks.ts'
import { checkBody } from './rules.ts'

export type MessagesFakeOptions = FakeOptions<MessagesQuirks, MessagesRules>

/** A Messages server for tests: Anthropic's, Google Cloud's (by the path), or another's by its quirks and rules. */
export function fakeAnthropic(script: FakeScript<MessagesQuirks>, options: MessagesFakeOptions = {}): Promise<FakeServer> {
  return fakeServer(api, script, options)
}

const inPath = /\/publishers\/anthropic\/models\/[^/:]+:(?:streamR|r)awPredict(?:\?|$)/

const api: FakeApi<MessagesQuirks, MessagesRules> = {
  base: '/v1',
  streamType: 'text/event-stream; charset=utf-8',
  checkBody: (body, rules, { path }) => checkBody(body, rules, inPath.test(path)),
  checkHead({ method, path, headers }, apiKey) {
    if (method !== 'POST' || (!inPath.test(path) && !/^[^?]*\/v1\/messages(?:\?|$)/.test(path))) return violation('url', null, 'Not Found')
    if (!inPath.test(path) && headers['anthropic-version'] === undefined)
      return violation('header', null, 'anthropic-version: header is required')
    if (apiKey === undefined || headers['x-api-key'] === apiKey || headers.authorization === `Bearer ${apiKey}`) return undefined
    return violation('key', null, 'invalid x-api-key')
  },
  refusal({ message, rule }) {
    const [status, type] =
      rule === 'url' ? [404, 'not_found_error'] : rule === 'key' ? [401, 'authentication_error'] : [400, 'invalid_request_error']
    return { status: Number(status), body: { type: 'error', error: { type, message }, request_id: 'req_fake' } }
  },
  asksForStream: (body) => body['stream'] === true,
  frames: streamFrames,
  whole: messageText,
  callId: (n) => `toolu_${String(n).padStart(5, '0')}`,
}
