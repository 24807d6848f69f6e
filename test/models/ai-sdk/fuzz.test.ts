import { expect, test } from 'vitest'
import { RondoError } from '../../../src/index.ts'
import { seededRandom } from '../../../src/testing/index.ts'
import { finish, read, type Version, versions } from './mock.ts'

// Any parts in any order end in a response or in a typed error, and no call of them runs that did not come whole. A failure names its seed.

const types = [
  ...['text', 'reasoning', 'tool-input'].flatMap((kind) => ['start', 'delta', 'end'].map((step) => `${kind}-${step}`)),
  ...[
    'tool-call',
    'tool-result',
    'file',
    'reasoning-file',
    'source',
    'custom',
    'raw',
    'stream-start',
    'response-metadata',
    'finish',
    'error',
    'new',
  ],
]
const values = [
  '',
  'a',
  'b',
  '{"x":1}',
  '{"x":',
  0,
  null,
  undefined,
  [],
  {},
  { a: { b: 1 } },
  true,
  'image/png',
  new URL('https://example.com'),
  new Uint8Array([1]),
]
const fields = [
  'id',
  'delta',
  'toolName',
  'toolCallId',
  'input',
  'result',
  'providerMetadata',
  'data',
  'mediaType',
  'url',
  'usage',
  'finishReason',
  'warnings',
  'error',
]

function partsOf(random: () => number, version: Version): unknown[] {
  const pick = <X>(list: readonly X[]): X => list[Math.floor(random() * list.length)] as X
  const part = (): unknown => {
    if (random() < 0.02) return pick(values)
    const tame = {
      id: pick(['1', '2']),
      toolCallId: pick(['1', '2']),
      toolName: pick(['look', 'move']),
      delta: pick(['{"x"', ':1}', 'words']),
      input: '{"x":1}',
    }
    const wild = random() < 0.2 ? { [pick(fields)]: pick(values) } : {}
    return { type: pick(types), providerExecuted: random() < 0.1, ...tame, ...wild }
  }
  return [
    ...Array.from({ length: Math.floor(random() * 12) }, part),
    ...(random() < 0.7 ? [finish(version, pick(['stop', 'tool-calls', 'length']))] : []),
  ]
}

test.each(versions)('any parts of specification %s end in a response or a typed error', async (version) => {
  const seen = { responses: 0, errors: 0, calls: 0 }
  for (let seed = 0; seed < 800; seed++) {
    const parts = partsOf(seededRandom(seed), version)
    const got = await read(version, parts, { onWarning: () => {} }).catch((error: unknown) => error)
    if (got instanceof Error) {
      seen.errors++
      expect(RondoError.is(got) && got.category, `seed ${seed}: ${String(got)}`).toBe('model')
      expect(got, `seed ${seed}`).not.toMatchObject({ code: 'ModelUnknownError' })
      continue
    }
    seen.responses++
    const { parts: made, finish: finished } = got as Awaited<ReturnType<typeof read>>
    expect(JSON.parse(JSON.stringify(made)), `seed ${seed}`).toEqual(made)
    if (finished.finishReason === 'length') continue
    const whole = parts.filter((part) => (part as { type?: unknown } | null | undefined)?.type === 'tool-call').length
    const open = made.filter((part) => part.type === 'tool-call' && part.providerExecuted !== true).length
    seen.calls += open
    expect(open, `seed ${seed}`).toBeLessThanOrEqual(whole)
  }
  expect(seen.responses).toBeGreaterThan(30)
  expect(seen.errors).toBeGreaterThan(30)
  expect(seen.calls).toBeGreaterThan(5)
})
