// Any bytes at all, to every adapter over HTTP: they end in a message or in a typed error, no call that is not whole looks as if it were, and
// what is kept of them is bounded. A failure names its seed: `RONDO_WIRE_SEED` moves all seeds.
import { describe, expect, test } from 'vitest'
import { Assembler } from '../../src/core/assemble.ts'
import { RondoError } from '../../src/core/error.ts'
import type { Part } from '../../src/core/message.ts'
import type { ModelFinish } from '../../src/core/model.ts'
import { type Change, toStorable } from '../../src/core/storable.ts'
import { seededRandom } from '../../src/testing/index.ts'
import { fakeServer } from '../setup/http-server.ts'
import { rawServer } from '../setup/raw-server.ts'
import type { WireMeta } from '../setup/wire.ts'
import { adapters, type ByteReceiver } from '../wire/adapters.ts'
import { cutAtRandom, seed as firstSeed } from '../wire/cuts.ts'
import { type GoodStream, goodStreams, modelsOf, type Reached, whole } from './good-streams.ts'
import { brief } from './transport/call.ts'

type Api = keyof typeof goodStreams

const table = Object.entries(goodStreams).flatMap(([api, forms]) =>
  Object.entries(forms).map(([form, stream]) => ({ api: api as Api, form, stream })),
)

const meta = (api: Api, { type }: GoodStream): WireMeta => ({
  provider: 'acme',
  api,
  model: 'm',
  streaming: true,
  status: 200,
  contentType: type,
  endpoint: '',
  request: false,
  response: '',
  framing: '',
  provenance: 'derived',
  features: [],
})

/** A message that came to its end, or why it did not. */
interface End {
  readonly parts?: readonly Part[]
  readonly finish?: ModelFinish
  readonly error?: RondoError
}

/** Gives a response to an adapter, until it wants no more. */
function read(api: Api, stream: GoodStream, give: (receiver: ByteReceiver) => void, status = 200, type = stream.type): End {
  const assembler = new Assembler({ n: 1 })
  const receiver = adapters[api]?.receiver(meta(api, stream), (delta) => void assembler.push(delta))
  if (receiver === undefined) throw new Error(`There is no adapter for ${api}.`)
  try {
    receiver.head({ status, header: (name) => (name === 'content-type' ? type : undefined) })
    give(receiver)
    const finish = receiver.finish()
    return { parts: assembler.finish().parts, finish }
  } catch (error) {
    if (RondoError.is(error) && error.category === 'model') return { error }
    throw error
  }
}

const inPieces = (pieces: readonly Uint8Array[]) => (receiver: ByteReceiver) => {
  for (const piece of pieces) if (receiver.chunk(piece) === 'complete') return
}

const encode = (text: string) => new TextEncoder().encode(text)

/** The arguments of calls that would run. */
function runnable({ parts = [] }: End): unknown[] {
  return parts.flatMap((part) =>
    part.type === 'tool-call' && part.providerExecuted !== true && part.inputError === undefined ? [part.input] : [],
  )
}

const reasons = ['stop', 'tool-calls', 'length', 'content-filter', 'refusal', 'pause-turn', 'error', 'other']

/** Names and ids of a provider, and its data, are kept as they came, half a surrogate pair too; what is sent of them is made legal by who sends. */
const isHarm = ({ path, reason }: Change) => reason !== 'lone-surrogate' || /\.(text|input)\b/.test(path)

/** What is wrong with an end, however it came about. */
function wrongs({ parts, finish, error }: End): unknown[] {
  if (error !== undefined) {
    // A slip of ours that is given out as the server's.
    const { cause } = error
    return [
      cause instanceof TypeError || cause instanceof RangeError ? cause.stack : undefined,
      error.message.length < 2_000 ? undefined : error,
    ]
  }
  const { complete, ...counts } = finish?.usage ?? {}
  return [
    ...toStorable(parts).changed.filter(isHarm),
    reasons.includes(String(finish?.finishReason)) ? undefined : finish,
    typeof complete === 'boolean' ? undefined : finish,
    ...Object.entries(counts).map((count) => (Number.isFinite(count[1]) && count[1] >= 0 ? undefined : count)),
  ]
}

function check(end: End, where: string): void {
  const found = wrongs(end).filter((wrong) => wrong !== undefined)
  if (found.length > 0) expect(found, where).toEqual([])
}

describe.each(table)('$api, as $form', ({ api, stream }) => {
  const good = encode(stream.frames(stream.events))
  const wholeEnd = read(api, stream, inPieces([good]))

  /** Reads bytes in random pieces, and checks the end. */
  const ends = (bytes: Uint8Array, seed: number): End => {
    const where = `seed ${seed}`
    const end = read(api, stream, inPieces(cutAtRandom(bytes, seed % 7, `${api} ${seed}`)))
    check(end, where)
    return end
  }

  const each = (count: number, play: (random: () => number, seed: number) => End) => {
    const seen = { messages: 0, errors: 0 }
    for (let index = 0; index < count; index++) {
      const seed = firstSeed * 100_000 + index
      seen[play(seededRandom(seed), seed).error === undefined ? 'messages' : 'errors']++
    }
    return seen
  }

  test('the good stream is what the others are made of', () => {
    check(wholeEnd, 'whole')
    expect(runnable(wholeEnd)).toEqual([whole])
    expect(wholeEnd.parts?.flatMap((part) => ('text' in part && part.text !== '' ? [[part.type, part.text]] : []))).toEqual([
      ['reasoning', expect.any(String)],
      ['text', 'Grüße 😀 dir'],
    ])
    expect(wholeEnd.finish?.finishReason).toBe('tool-calls')
  })

  test('B088 cut at any byte it is an error, or lacks nothing of the message', () => {
    let accepted = 0
    for (let cut = 0; cut < good.length; cut++) {
      const end = read(api, stream, inPieces([good.subarray(0, cut)]))
      check(end, `cut at ${cut}`)
      if (end.error !== undefined) continue
      accepted++
      expect(end.parts, `cut at ${cut}`).toEqual(wholeEnd.parts)
    }
    expect(accepted).toBeLessThan(200)
  })

  test('events lost, twice, in another order, or of another stream: no call runs with half of its arguments', () => {
    const seen = each(400, (random, seed) => {
      const at = () => Math.floor(random() * events.length)
      const events: unknown[] = [...stream.events]
      for (let change = 0; change <= seed % 3; change++) {
        const [from, to] = [at(), at()]
        const what = random()
        if (what < 0.3) events.splice(from, 1)
        else if (what < 0.6) events.splice(to, 0, events[from])
        else events.splice(to, 0, ...events.splice(from, 1))
      }
      const end = ends(encode(stream.frames(events)), seed)
      // A call of which all pieces were lost has no arguments, as one that needs none.
      for (const input of runnable(end)) expect([whole, {}], `seed ${seed}: ${JSON.stringify(events)}`).toContainEqual(input)
      return end
    })
    expect(Math.min(seen.messages, seen.errors)).toBeGreaterThan(10)
  })

  test('fields that are something else', () => {
    const seen = each(600, (random, seed) => {
      const events: unknown[] = structuredClone(stream.events) as unknown[]
      for (let change = 0; change <= seed % 3; change++) changeSome(events, random)
      return ends(encode(withDeep(stream.frames(events))), seed)
    })
    expect(Math.min(seen.messages, seen.errors)).toBeGreaterThan(50)
  })

  test('whatever is nested deeper than a stack is an error, and so is a refusal that is', () => {
    const places = stream.events.flatMap((event, index) => pathsOf(event).map((path) => [index, path] as const))
    for (const [index, path] of places) {
      const events = structuredClone(stream.events) as object[]
      setAt(events, [String(index), ...path], deep)
      const { error } = read(api, stream, inPieces([encode(withDeep(stream.frames(events)))]))
      expect([error?.code, error?.message], `${index}.${path.join('.')}`).toEqual(['ModelServerError', expect.stringContaining('levels')])
    }
    for (const event of stream.events) {
      const framed = stream.frames([{ ...event, more: deep }])
      const unended = withDeep(framed.slice(0, framed.lastIndexOf('}') + 1))
      expect(read(api, stream, inPieces([encode(unended)])).error?.message).toContain('levels')
    }
    for (const body of [deep, { error: deep }, { error: { message: deep } }, { error: { message: 'no', details: deep } }, [deep]])
      for (const status of [200, 400, 500]) {
        const bytes = encode(withDeep(JSON.stringify(body)))
        const end = read(api, stream, inPieces([bytes]), status, 'application/json')
        check(end, `${status} ${JSON.stringify(body)}`)
        expect(end.error, `${status} ${JSON.stringify(body)}`).toBeDefined()
      }
  })

  test('bytes that are changed, lost or come twice', () => {
    const seen = each(600, (random, seed) => {
      let bytes = Uint8Array.from(good)
      const at = () => Math.floor(random() * bytes.length)
      for (let change = 0; change <= seed % 4; change++) {
        const [from, length] = [at(), Math.floor(random() * 60)]
        const what = random()
        if (what < 0.6) bytes[from] = Math.floor(random() * 256)
        else if (what < 0.8) bytes = joined(bytes.subarray(0, from), bytes.subarray(from + length))
        else bytes = joined(bytes.subarray(0, from + length), bytes.subarray(from))
      }
      return ends(bytes, seed)
    })
    expect(Math.min(seen.messages, seen.errors)).toBeGreaterThan(50)
  })

  test('random bytes, under any type and status', () => {
    const starts = ['', 'data: ', 'data: {', '{', '[', '{"error":', '<', '\ufeff', 'event: error\ndata: ']
    each(300, (random, seed) => {
      const noise = Uint8Array.from({ length: Math.floor(random() * 400) }, () => Math.floor(random() * (seed % 2 === 0 ? 256 : 128)))
      const bytes = joined(encode(pick(starts, random)), noise)
      const type = pick([stream.type, 'application/json', 'text/html', 'text/event-stream', ''], random)
      const status = pick([200, 200, 204, 400, 429, 500], random)
      const end = read(api, stream, inPieces(cutAtRandom(bytes, seed % 7, `${seed}`)), status, type)
      check(end, `seed ${seed}`)
      expect(runnable(end), `seed ${seed}`).toEqual([])
      return end
    })
  })

  test('an event without an end, and an error without an end, are not kept for ever', () => {
    const piece = new Uint8Array(1_048_576).fill(0x61)
    const endless = (start: string, status: number) => {
      let given = 0
      const end = read(
        api,
        stream,
        (receiver) => {
          receiver.chunk(encode(start))
          while (given < 64 && receiver.chunk(piece) !== 'complete') given++
        },
        status,
      )
      return [given < 64, end.error?.code]
    }
    const [first = ''] = stream.frames(stream.events).split('Grüße')
    expect(endless(`${first}`, 200)).toEqual([true, 'ModelServerError'])
    expect(endless('{"error":{"message":"', 500)).toEqual([true, 'ModelServerError'])
  })

  test('more calls than anybody makes are an error', () => {
    const calls = stream.events.flatMap((event) => Array.from({ length: JSON.stringify(event).includes('"pay"') ? 1_200 : 1 }, () => event))
    const numbered = calls.map((event, index) => JSON.parse(JSON.stringify(event).replace(/"(call_|toolu_)\w*"/g, `"$1${index}"`)))
    const end = read(api, stream, inPieces([encode(stream.frames(numbered))]))
    check(end, 'calls')
    expect(runnable(end).length).toBeLessThanOrEqual(1_024)
  })

  test('over a socket: whatever comes, and however the server then leaves, it is over within the limits', async () => {
    const plays = Array.from({ length: 24 }, async (_, index) => {
      const seed = firstSeed * 1_000 + index
      const random = seededRandom(seed)
      const bytes = Uint8Array.from(good)
      for (let change = 0; change < index % 4; change++) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256)
      const body = cutAtRandom(bytes.subarray(0, Math.floor(random() * bytes.length * 1.3)), 3, `${seed}`)
      await using server = await fakeServer({ headers: { 'content-type': stream.type }, body, ends: pick(['end', 'cut', 'hang'], random) })
      return [seed, await asked(api, { baseURL: server.url, timeouts: { firstByteMs: 400, idleMs: 400 } })] as const
    })
    for (const [seed, end] of await Promise.all(plays)) {
      check(end, `seed ${seed}`)
      expect(end.error !== undefined || end.parts !== undefined, `seed ${seed}`).toBe(true)
    }
  })

  test('over a socket: an answer without an end is over at its size', async () => {
    const [first = ''] = stream.frames(stream.events).split('\n')
    await using server = await rawServer((socket) => {
      const more = () => {
        while (socket.writable && socket.write(`${first}\n\n`.repeat(50)));
      }
      socket.on('drain', more).once('data', () => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-type: ${stream.type}\r\n\r\n`)
        more()
      })
    })
    const { error } = await asked(api, { baseURL: `http://127.0.0.1:${server.port}`, maxResponseBytes: 1_000_000 })
    expect(brief(error)).toEqual(['ModelServerError', false, expect.stringContaining('larger than 1,000,000 bytes')])
    await server.firstClosed
  })
})

/** A request of a model to a server. */
async function asked(api: Api, reached: Reached): Promise<End> {
  const assembler = new Assembler({ n: 1 })
  const request = { instructions: '', messages: [], tools: [], toolChoice: 'auto', settings: {}, purpose: 'main' } as const
  const { signal } = new AbortController()
  try {
    const finish = await modelsOf[api](reached).stream(request, (delta) => void assembler.push(delta), { signal, sessionId: 's' })
    return { parts: assembler.finish().parts, finish }
  } catch (error) {
    if (RondoError.is(error) && error.category === 'model') return { error }
    throw error
  }
}

function pick<X>(list: readonly X[], random: () => number): X {
  return list[Math.floor(random() * list.length)] as X
}

function joined(...pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(pieces))
}

/** Values of every kind, some of which are large, deep or no number that anybody counts with. */
const odd: readonly (() => unknown)[] = [
  () => null,
  () => undefined,
  () => 0,
  () => -1,
  () => 1e308,
  () => 2 ** 70,
  () => 0.5,
  () => '',
  () => 'x',
  () => '\u0000\ud800',
  () => '{"a":',
  () => true,
  () => [],
  () => [null, 1, 'x', {}],
  () => ({}),
  () => ({ type: 'x', text: 1 }),
  () => 'y'.repeat(100_000),
  () => deep,
  () => ({ message: 'boom', code: 429 }),
]

/** Stands for a value of more levels than anything that is written by recursion can write. */
const deep = '(deep)'
const withDeep = (text: string) => text.replaceAll(`"${deep}"`, `${'[{"a":'.repeat(10_000)}1${'}]'.repeat(10_000)}`)

/** Where the values of a value are. */
function pathsOf(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [[key], ...pathsOf(inner).map((path) => [key, ...path])])
}

function setAt(value: object, [key = '', ...rest]: readonly string[], to: unknown): void {
  if (rest.length === 0) Reflect.set(value, key, to)
  else setAt(Reflect.get(value, key) as object, rest, to)
}

/** Changes one value somewhere within, or takes it away. */
function changeSome(within: unknown, random: () => number): void {
  let place = within
  for (;;) {
    if (typeof place !== 'object' || place === null) return
    const keys = Object.keys(place)
    if (keys.length === 0) return
    const key = pick(keys, random)
    const value: unknown = Reflect.get(place, key)
    if (typeof value === 'object' && value !== null && random() < 0.8) {
      place = value
      continue
    }
    const change = random()
    if (change < 0.1) Reflect.deleteProperty(place, key)
    else if (change < 0.2) Reflect.set(place, `${key}x`, value)
    else Reflect.set(place, key, pick(odd, random)())
    return
  }
}
