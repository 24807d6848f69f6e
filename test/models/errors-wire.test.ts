import { expect, test } from 'vitest'
import { httpError, streamError } from '../../src/models/errors.ts'
import { retryAfterMs } from '../../src/models/transport/retry-after.ts'
import { describeWire, type Exchange, exchangesIn } from '../setup/wire.ts'

// Which kind each recorded error is, with its numbers, `test/wire` compares with a plain reading of its own. Here: what holds for any of them.

const retryableCodes = ['ModelRateLimited', 'ModelServerError', 'ModelTimeout']
const worthAnother: readonly number[] = [408, 409, 425, 429, 498]

describeWire('B107, B108, B119: recorded errors', (folder) => {
  const recorded = exchangesIn(folder).filter(
    ({ meta }) => meta.status >= 400 || /mid-stream-error|error-in-200/.test(meta.features.join()),
  )

  test.each(recorded.map((exchange) => [exchange.name, exchange] as const))('%s', (_name, exchange) => {
    const { provider, status } = exchange.meta
    const error = errorOf(exchange)
    expect(error.code, error.message).not.toBe('ModelUnknownError')
    // One line: who, what happened, where it was told, the server's words as a sentence, what to do.
    expect(error.message).toMatch(/^[a-z-]+ [^(]+(?:\([a-z ,]+\) )?\([^)]*(?:HTTP \d{3}|in the response)[^)]*\): .+[.!?…]$/)
    expect(error.message.startsWith(`${provider} `)).toBe(true)
    expect(error.message.length).toBeLessThan(1_100)
    expect(error.retryable && !retryableCodes.includes(error.code), `${error.code} is tried again`).toBe(false)
    const isRefusal = status >= 400 && status < 500 && !worthAnother.includes(status)
    const isOfModel = error.message.includes('an error of the model, not an outage')
    if (isRefusal && !isOfModel) expect(error.retryable, error.message).toBe(false)
    if (error.retryAfterMs !== undefined) expect(error.retryable, 'a delay is told for what is tried again').toBe(true)
    expect(error.message, 'says what to do about a key').toMatch(error.code === 'ModelAuthError' ? /Check .*the API key/ : /./)
  })
})

function errorOf(exchange: Exchange) {
  const { meta, header } = exchange
  const { provider, status } = meta
  const body = Buffer.from(exchange.response()).toString('utf8')
  if (meta.streaming && status < 400) return streamError(errorIn(body), { provider })
  return httpError({ provider, status, header, body, retryAfterMs: retryAfterMs(header, Date.now()) })
}

/** The error in a stream: an event with one, a line of its own, or an object outside the frame. */
function errorIn(body: string): unknown {
  const lines = body.split('\n').map((line) => line.replace(/^data: ?/, ''))
  const found = lines.flatMap((line) => (/^\{.*"error"\s*:\s*["{]|^\{"type":"error"/.test(line) ? [JSON.parse(line)] : []))
  return found[0] ?? JSON.parse(body.slice(body.lastIndexOf('\n{')))
}
