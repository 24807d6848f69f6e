import { afterAll, expect, test } from 'vitest'
import { areOwn, describeWire, type Exchange, exchangesIn } from '../setup/wire.ts'
import { readBody } from './readings/body.ts'
import { readResponse } from './readings/read-response.ts'
import type { Answer } from './readings/reading.ts'

// The readings against what the recordings say of themselves: the features that were noted when they were gathered.

const features: { readonly [feature: string]: (answer: Answer) => boolean } = {
  text: ({ text }) => text !== '',
  'tool-call': ({ calls }) => calls.length > 0,
  'parallel-tool-calls': ({ calls }) => calls.length > 1,
  'legacy-function-call': ({ calls }) => calls.length > 0,
  'usage-cached': ({ usage }) => (usage.cached ?? 0) > 0,
  'cache-write': ({ usage }) => (usage.cacheWrite ?? 0) > 0,
  'usage-reasoning-tokens': ({ usage }) => (usage.reasoning ?? 0) > 0,
  'reasoning-signature': ({ opaque }) => opaque.some(({ kind }) => kind === 'signature'),
  'reasoning-encrypted': ({ opaque }) => opaque.some(({ kind }) => kind === 'encrypted'),
  'redacted-thinking': ({ opaque }) => opaque.some(({ kind }) => kind === 'redacted'),
  'image-output': ({ media }) => media.length > 0,
  'inline-data': ({ media }) => media.length > 0,
}

describeWire('the readings of recorded responses', (folder) => {
  const exchanges = exchangesIn(folder)
  const counts: string[] = []
  const counted = (what: string, count: number, more: number) => {
    counts.push(`${count} ${what}`)
    if (areOwn()) expect(count, what).toBeGreaterThan(more)
  }

  afterAll(() => console.info([`Readings against what was noted: ${exchanges.length} exchanges`, ...counts].join('\n  ')))

  for (const [feature, isSo] of Object.entries(features)) {
    test(`where there is ${feature}, the reading has it`, () => {
      expect(
        answers(feature)
          .filter(({ answer }) => !isSo(answer))
          .map(({ name }) => name),
      ).toEqual([])
    })
  }

  test('the reason of the end is the one that was noted', () => {
    const noted = exchanges.flatMap((exchange) => {
      const reasons = exchange.meta.features.flatMap((one) => (one.startsWith('finish:') ? [one.slice('finish:'.length)] : []))
      const { answer } = readResponse(exchange)
      return reasons.length === 0 || answer === undefined || isSeveral(exchange) ? [] : [{ name: exchange.name, reasons, answer }]
    })
    counted('reasons of the end', noted.length, 300)
    expect(noted.filter(({ reasons, answer }) => !answer.rawFinish.some((word) => reasons.includes(word))).map(({ name }) => name)).toEqual(
      [],
    )
  })

  test('an error status, an error in the body and a body without its end are errors', () => {
    const broken = exchanges.filter(
      ({ meta }) => meta.status >= 300 || meta.features.some((one) => /^(?:mid-stream-error|truncated)/.test(one)),
    )
    counted('errors', broken.length, 40)
    expect(broken.filter((exchange) => readResponse(exchange).error === undefined).map(({ name }) => name)).toEqual([])
  })

  /** Where the source has put several responses into one body, the first one counts; of several choices the first one. Pieces of one call are one. */
  function answers(feature: string): { readonly name: string; readonly answer: Answer }[] {
    const found = exchanges.filter(
      ({ meta }) => meta.features.includes(feature) && !['n-choices', 'partial-args'].some((one) => meta.features.includes(one)),
    )
    counted(`with ${feature}`, found.length, 0)
    return found.flatMap((exchange) => {
      const { answer } = readResponse(exchange)
      return answer === undefined || isSeveral(exchange) ? [] : [{ name: exchange.name, answer }]
    })
  }
})

function isSeveral({ response }: Exchange): boolean {
  const { events } = readBody(new TextDecoder().decode(response()))
  return events.filter(({ data }) => data.type === 'response.completed' || data.type === 'message_stop').length > 1
}
