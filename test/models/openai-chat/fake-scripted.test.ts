import { describe, expect, test } from 'vitest'
import type { ErrorCode } from '../../../src/core/error.ts'
import { httpError, streamError } from '../../../src/models/errors.ts'
import { chatWords } from '../../../src/testing/fake/chat/words.ts'
import { fromScripted as scriptedAs } from '../../../src/testing/fake/scripted.ts'
import type { ScriptedReply } from '../../../src/testing/scripted.ts'

const fromScripted = (reply: string | ScriptedReply) => scriptedAs(reply, chatWords)

describe('a scripted reply is what a server would send for it', () => {
  test.each([
    ['hello', 'hello'],
    [{ text: 'hello', chunk: 2 }, { text: ['he', 'll', 'o'] }],
    [
      { text: 'no', finish: 'refusal' },
      { refusal: ['no'], finish: 'stop' },
    ],
    [
      {
        reasoning: 'hm',
        text: '',
        calls: [
          { name: 'a', input: { x: 1 }, id: 'c' },
          { name: 'b', input: 0, rawInput: '{' },
        ],
        finish: 'length',
      },
      {
        reasoning: 'hm',
        text: [],
        calls: [
          { name: 'a', input: { x: 1 }, id: 'c' },
          { name: 'b', input: 0, rawInput: '{' },
        ],
        finish: 'length',
      },
    ],
    [
      { usage: { inputTokens: 1, complete: false }, delayMs: 3 },
      { usage: { inputTokens: 1, complete: false }, delayMs: 3 },
    ],
    [
      { text: 'x', hang: true },
      { text: ['x'], breaks: { after: 0, with: 'hang' } },
    ],
    [
      {
        deltas: [
          { type: 'text', part: 0, text: 'x' },
          { type: 'call', part: 2, toolName: 'a', providerCallId: 'c' },
          { type: 'call', part: 3, toolName: 'b' },
          { type: 'call-input', part: 2, text: '{}' },
          { type: 'reasoning', part: 1, text: 'r' },
        ],
      },
      {
        pieces: [{ text: 'x' }, { call: 0, name: 'a', id: 'c' }, { call: 1, name: 'b' }, { call: 0, arguments: '{}' }, { reasoning: 'r' }],
      },
    ],
  ] as const)('%j', (scripted, reply) => {
    expect(fromScripted(scripted)).toEqual(reply)
  })

  test('what the API has no word for is an error', () => {
    expect(() => fromScripted({ deltas: [{ type: 'part', part: 0, value: { type: 'text', text: 'x' } }] })).toThrow(
      'No API can say a delta of type part',
    )
    expect(() => fromScripted({ fail: { code: 'ModelUnknownError' }, failAfter: 1 })).toThrow("can't say ModelUnknownError there")
    expect(() => fromScripted({ fail: { code: 'ToolTimeout' } })).toThrow("can't say ToolTimeout there")
  })
})

const codes: readonly ErrorCode[] = [
  'ModelTimeout',
  'ModelRateLimited',
  'ModelAuthError',
  'ModelContextOverflow',
  'ModelBadRequest',
  'ModelServerError',
  'ModelQuotaExceeded',
  'ModelContentBlocked',
]

/** The error that the adapters make of a scripted failure. */
function classified(fail: { code: ErrorCode; retryable?: boolean; retryAfterMs?: number }) {
  const reply = fromScripted({ fail })
  if (typeof reply === 'string' || !('status' in reply)) throw new Error('no HTTP error')
  const { status, headers = {} } = reply
  const body = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body)
  return httpError({ provider: 'acme', status, header: (name) => headers[name], body })
}

describe('a scripted failure is classified as what it was', () => {
  test.each([...codes, 'ModelUnknownError'] as const)('%s as a status', (code) => {
    expect(classified({ code }).code).toBe(code)
    expect(classified({ code, retryable: false }).retryable).toBe(false)
  })

  test.each(codes)('%s in the stream', (code) => {
    const reply = fromScripted({ text: 'x', fail: { code, message: 'm' }, failAfter: 1 })
    if (typeof reply === 'string' || 'status' in reply || reply.breaks?.with !== 'error') throw new Error('no error in the stream')
    expect([reply.text, reply.breaks.after]).toEqual([['x'], 1])
    const error = streamError(reply.breaks.error, { provider: 'acme' })
    expect(error.code).toBe(code)
    expect(error.message).toContain('m')
  })

  test('whether and when to try again stands in the headers', () => {
    const fail = { code: 'ModelServerError', retryable: true, retryAfterMs: 900 } as const
    expect(fromScripted({ fail })).toMatchObject({ headers: { 'x-should-retry': 'true', 'retry-after-ms': '900' } })
  })
})
