import type { FakeApi, FakeOptions, FakeScript, FakeServer } from '../server.ts'
import { fakeServer } from '../server.ts'
import { violation } from '../violation.ts'
import { bodyText, isList, streamFrames } from './bytes.ts'
import type { GeminiQuirks, GeminiRules } from './quirks.ts'
import { checkBody } from './rules.ts'

export type FakeGeminiOptions = FakeOptions<GeminiQuirks, GeminiRules>

/** A server of `generateContent` for tests. Which rules hold is for the model in the path to say. */
export function fakeGemini(script: FakeScript<GeminiQuirks>, options: FakeGeminiOptions = {}): Promise<FakeServer> {
  return fakeServer(api, script, options)
}

const api: FakeApi<GeminiQuirks, GeminiRules> = {
  base: '/v1beta',
  streamType: ({ path }) => (isList(path) ? 'application/json; charset=UTF-8' : 'text/event-stream'),
  checkBody: (body, rules, head) => checkBody(body, rules, head),
  checkHead({ method, path, headers }, apiKey) {
    if (method !== 'POST' || !/\/models\/[^/:?]+:(?:streamGenerateContent|generateContent)(?:\?|$)/.test(path))
      return violation('url', null, `The requested URL ${path} was not found on this server.`)
    const { 'x-goog-api-key': key, authorization } = headers
    if (apiKey === undefined || key === apiKey || authorization === `Bearer ${apiKey}`) return undefined
    return violation('key', null, 'API key not valid. Please pass a valid API key.')
  },
  refusal({ message, param, rule }) {
    const details =
      rule === 'key'
        ? [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID', domain: 'googleapis.com' }]
        : [
            {
              '@type': 'type.googleapis.com/google.rpc.BadRequest',
              fieldViolations: [{ ...(param === null ? {} : { field: param }), description: message }],
            },
          ]
    const [code, status] = rule === 'url' ? [404, 'NOT_FOUND'] : [400, 'INVALID_ARGUMENT']
    return { status: code, body: { error: { code, message, status, details } } }
  },
  asksForStream: (_body, { path }) => path.includes(':streamGenerateContent'),
  frames: streamFrames,
  whole: bodyText,
  callId: (n) => `fc${String(n).padStart(5, '0')}`,
}
