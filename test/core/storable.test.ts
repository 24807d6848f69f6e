import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nestingDepth } from '../../src/core/json.ts'
import { toStorable } from '../../src/core/storable.ts'
import { cutText, wellFormed } from '../../src/core/text.ts'

class Point {
  x = 1
  readonly #hidden = 2
  get sum(): number {
    return this.x + this.#hidden
  }
}

class Same {
  x = 1
  toJSON(): this {
    return this
  }
}

const throwing = new Proxy(
  {},
  {
    get() {
      throw new Error('no get')
    },
    ownKeys() {
      throw new Error('no keys')
    },
    getPrototypeOf() {
      throw new Error('no prototype')
    },
  },
)

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable([], {})
  revoke()
  return proxy
}

function nested(levels: number): unknown {
  let value: unknown = 'deep'
  for (let i = 0; i < levels; i++) value = i % 2 ? [value] : { a: value }
  return value
}

describe('plain values', () => {
  test.each<[unknown]>([
    [null],
    ['text 😀'],
    [1.5],
    [false],
    [[]],
    [{}],
    [{ a: [1, { b: null, 'c d': 'é' }], toString: 'own' }],
    [JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":{"x":1}}}')],
    [nested(200)],
    [Object.freeze({ a: Object.freeze([1]) })],
  ])('plain JSON is returned as it is: %j', (value) => {
    const { json, changed } = toStorable(value)
    expect(json).toBe(value)
    expect(changed).toStrictEqual([])
  })

  test.each<[string, unknown, unknown]>([
    ['an undefined field is dropped', { a: undefined, b: 1 }, { b: 1 }],
    ['a date is ISO text', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
    ['toJSON is called with the key', { a: { toJSON: (key: string) => ({ key }) } }, { a: { key: 'a' } }],
    ['the toJSON of a replacement is not called', { toJSON: () => ({ a: 1, toJSON: null }) }, { a: 1, toJSON: null }],
    ['a toJSON that returns its object', new Same(), { x: 1 }],
    ['boxed primitives are unwrapped', [Object(1), Object('a'), Object(false)], [1, 'a', false]],
    ['an instance is its own enumerable fields', new Point(), { x: 1 }],
    ['an object without prototype is a plain one', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ['-0 is 0', [-0], [0]],
    ['a URL is text', new URL('https://example.com/a?b'), 'https://example.com/a?b'],
    ['a list with a toJSON', Object.assign([1], { toJSON: () => 'list' }), 'list'],
    ['hidden fields are no data', Object.defineProperty({ a: new Point() }, 'hidden', { value: 1 }), { a: { x: 1 } }],
    ['undefined is null', undefined, null],
    [
      'a shared object is no cycle',
      ((shared) => ({ a: shared, b: [shared, shared], u: undefined }))({ x: 1 }),
      { a: { x: 1 }, b: [{ x: 1 }, { x: 1 }] },
    ],
  ])('as JSON.stringify does: %s', (_title, value, json) => {
    expect(toStorable(value)).toStrictEqual({ json, changed: [] })
  })
})

describe('B047 B049 what JSON cannot say is visible', () => {
  const cycle: { name: string; self?: unknown; list?: unknown[] } = { name: 'c' }
  cycle.self = cycle
  cycle.list = [cycle]
  const replacement: { own?: unknown } = {}
  replacement.own = replacement

  test.each<[string, unknown, unknown, string[]]>([
    ['BigInt', { n: 10n }, { n: '10' }, ['$.n bigint']],
    ['boxed BigInt', [Object(7n)], ['7'], ['$[0] bigint']],
    [
      'NaN and infinities',
      [Number.NaN, 1 / 0, -1 / 0],
      ['NaN', 'Infinity', '-Infinity'],
      ['$[0] non-finite', '$[1] non-finite', '$[2] non-finite'],
    ],
    ['a function', function look() {}, '[function look]', ['$ function']],
    ['a nameless function in a list', [() => {}], ['[function]'], ['$[0] function']],
    ['functions and symbols as fields', { f() {}, s: Symbol('x'), a: 1 }, { a: 1 }, ['$.f function', '$.s symbol']],
    ['a symbol', Symbol('x'), '[symbol x]', ['$ symbol']],
    [
      'holes and undefined in a list',
      Object.assign(new Array(3), { 0: undefined, 2: 1 }),
      [null, null, 1],
      ['$[0] undefined', '$[1] undefined'],
    ],
    ['an invalid date', { at: new Date(Number.NaN) }, { at: '[invalid date]' }, ['$.at invalid-date']],
    [
      'a Map of names',
      new Map<string, unknown>([
        ['a', 1],
        ['__proto__', { x: 1n }],
      ]),
      JSON.parse('{"a":1,"__proto__":{"x":"1"}}'),
      ['$.__proto__.x bigint', '$ collection'],
    ],
    [
      'a Map of anything',
      new Map<unknown, unknown>([
        ['a', 1],
        [2, { b: 3 }],
      ]),
      [
        ['a', 1],
        [2, { b: 3 }],
      ],
      ['$ collection'],
    ],
    ['a Set', { tags: new Set(['a', 'b']) }, { tags: ['a', 'b'] }, ['$.tags collection']],
    ['a regular expression', /a"b/gi, '/a"b/gi', ['$ regexp']],
    ['an error', new TypeError('no such file'), { name: 'TypeError', message: 'no such file' }, ['$ error']],
    [
      'an error with secrets',
      Object.assign(new Error('refused', { cause: 'key' }), { config: { key: 's' }, toJSON: () => ({ key: 's' }) }),
      { name: 'Error', message: 'refused' },
      ['$ error'],
    ],
    ['an error of another realm', runInNewContext('new RangeError("far")'), { name: 'RangeError', message: 'far' }, ['$ error']],
    [
      'binary data',
      { a: new Uint8Array(3), b: new ArrayBuffer(5), c: Buffer.from('hi') },
      { a: { type: 'binary', bytes: 3 }, b: { type: 'binary', bytes: 5 }, c: { type: 'binary', bytes: 2 } },
      ['$.a binary', '$.b binary', '$.c binary'],
    ],
    ['a forgotten promise', { p: Promise.resolve(1) }, { p: '[promise]' }, ['$.p promise']],
    ['a cycle', cycle, { name: 'c', self: '[circular]', list: ['[circular]'] }, ['$.self circular', '$.list[0] circular']],
    ['a cycle in what toJSON gives', { toJSON: () => replacement }, { own: '[circular]' }, ['$.own circular']],
    [
      'half surrogate pairs',
      { '\ud800k': 'a\udc00b😀' },
      { '\ufffdk': 'a\ufffdb😀' },
      ['$.\ufffdk lone-surrogate', '$.\ufffdk lone-surrogate'],
    ],
    [
      'a throwing toJSON',
      [
        {
          toJSON() {
            throw new Error('secret')
          },
        },
      ],
      ['[unreadable]'],
      ['$[0] unreadable'],
    ],
    ['half a surrogate pair in a key alone', { '\udc00': 1 }, { '\ufffd': 1 }, ['$.\ufffd lone-surrogate']],
    [
      'a throwing getter',
      {
        a: 1,
        get b() {
          throw new Error('secret')
        },
      },
      { a: 1, b: '[unreadable]' },
      ['$.b unreadable'],
    ],
    ['a throwing proxy', { p: throwing, ok: 1 }, { p: '[unreadable]', ok: 1 }, ['$.p unreadable']],
    ['a revoked proxy', [revoked()], ['[unreadable]'], ['$[0] unreadable']],
    [
      'an endless valueOf',
      Object.assign(Object(1), {
        valueOf() {
          return this
        },
      }),
      1,
      [],
    ],
  ])('%s', (_title, value, json, changed) => {
    const storable = toStorable(value)
    expect(storable.json).toStrictEqual(json)
    expect(storable.changed.map(({ path, reason }) => `${path} ${reason}`)).toStrictEqual(changed)
  })

  test('B197 `__proto__` stays plain own data in a copy', () => {
    const text = '{"__proto__":{"admin":true},"constructor":{"prototype":{"x":1}}}'
    const { json } = toStorable({ when: new Date(0), args: JSON.parse(text) })
    expect(JSON.stringify(json)).toBe(`{"when":"1970-01-01T00:00:00.000Z","args":${text}}`)
    expect(Reflect.get({}, 'admin')).toBeUndefined()
  })

  test('100,000 levels end in a mark at the 200th', () => {
    const { json, changed } = toStorable(nested(100_000))
    expect(nestingDepth(json, 1000)).toBe(200)
    expect(JSON.stringify(json)).toContain('[too deep]')
    expect(changed.map((change) => change.reason)).toStrictEqual(['too-deep'])
    expect(toStorable(nested(100_000), { maxDepth: 1 }).json).toStrictEqual(['[too deep]'])
  })

  test('the number of values is limited, also for shared branches, sparse arrays and endless subclasses', () => {
    expect(toStorable([1, [2, 3, 4], 5], { maxNodes: 4 }).json).toStrictEqual([1, [2, '[too large]'], '[too large]'])
    expect(toStorable([1, 2, 3], { maxNodes: 4 }).changed).toStrictEqual([])
    expect(toStorable({ a: 1, b: 2, c: 3 }, { maxNodes: 2 }).json).toStrictEqual({ a: 1, b: '[too large]' })
    let branch: unknown = 'leaf'
    for (let i = 0; i < 100; i++) branch = [branch, branch]
    const { changed } = toStorable(branch)
    expect(changed[0]?.reason).toBe('too-large')
    expect(toStorable(new Array(2 ** 32 - 1), { maxNodes: 3 }).json).toStrictEqual([null, null, '[too large]'])
    class Endless extends Set<number> {
      override *[Symbol.iterator](): SetIterator<number> {
        for (;;) yield 1
      }
    }
    expect(toStorable(new Endless([1])).json).toStrictEqual([1])
  })

  test('at most eight places are named for each reason', () => {
    const { changed } = toStorable({ big: Array.from({ length: 100 }, () => 1n), nan: Number.NaN })
    expect(changed.map((change) => change.reason)).toStrictEqual([...Array.from({ length: 8 }, () => 'bigint'), 'non-finite'])
  })
})

describe('properties', () => {
  const leaf = fc.oneof(
    fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withSparseArray: true,
      withNullPrototype: true,
      withBoxedValues: true,
      withObjectString: true,
    }),
    fc.constantFrom<unknown>(
      Symbol('s'),
      () => 1,
      new Error('e\ud800'),
      /x/,
      {
        toJSON: () => {
          throw new Error('x')
        },
      },
      { toJSON: () => undefined },
      new Date(Number.NaN),
      '\udc00',
      -0,
    ),
  )
  const hostile = fc.oneof(
    leaf,
    fc.array(leaf),
    fc.dictionary(fc.string({ unit: 'binary' }), leaf),
    fc.tuple(leaf, leaf).map((pairs) => new Map([pairs])),
  )

  test('B049 nothing throws, and the result survives a JSON round trip', () => {
    fc.assert(
      fc.property(hostile, (value) => {
        const { json } = toStorable([value, throwing, revoked()])
        expect(JSON.parse(JSON.stringify(json))).toStrictEqual(json)
        expect(toStorable(json).json).toBe(json)
      }),
      { numRuns: 1000 },
    )
  })

  test('what JSON.stringify says without loss is what is stored', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(toStorable(value)).toStrictEqual({ json: JSON.parse(JSON.stringify(value)), changed: [] })
      }),
    )
  })

  test('wellFormed is toWellFormed', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '\ud83d', '\ude00', '😀', 'é') }), (text) => {
        expect(wellFormed(text)).toBe(Buffer.from(text).toString())
      }),
    )
  })
})

describe('cutText', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i}\n`).join('')
  const linesOf = (text: string) => (text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0))

  test('B051 a text within the limits is not touched', () => {
    for (const text of ['', 'a', lines(2000), 'x'.repeat(50 * 1024), 'é'.repeat(25 * 1024)])
      expect(cutText(text)).toStrictEqual({ cut: false, text })
  })

  test('B051 too many lines: head and tail on whole lines around a marker', () => {
    expect(cutText(lines(10), { maxLines: 5 })).toStrictEqual({
      cut: true,
      text: 'line 0\nline 1\n[… 43 of 70 bytes left out …]\nline 8\nline 9\n',
      bytes: 70,
      lines: 10,
    })
  })

  test('B051 too many bytes: the marker has the sizes and says where the rest is', () => {
    const result = cutText(lines(100_000), { maxBytes: 120, reference: 'blob m1.0' })
    expect(result).toStrictEqual({
      cut: true,
      text: 'line 0\nline 1\nline 2\n[… 1,088,848 of 1,088,890 bytes left out; the whole text: blob m1.0 …]\nline 99998\nline 99999\n',
      bytes: 1_088_890,
      lines: 100_000,
    })
  })

  test('one huge line is cut by characters, never inside a pair', () => {
    const result = cutText('😀'.repeat(1000), { maxBytes: 75 })
    expect(result.text).toBe('😀😀😀😀\n[… 3,968 of 4,000 bytes left out …]\n😀😀😀😀')
  })

  test('limits too small for a marker leave the start', () => {
    expect(cutText('abcdef😀', { maxBytes: 7 }).text).toBe('abcdef')
    expect(cutText('abcdef', { maxLines: 0 }).text).toBe('')
    expect(cutText('a\nb\nc', { maxLines: 1 }).text).toBe('[… 5 of 5 bytes left out …]')
  })

  test('the result is within the limits, starts and ends like the text, and has no broken pair', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀', '\n', 'some words '), maxLength: 300 })
    const options = fc.record(
      { maxBytes: fc.integer({ min: 0, max: 300 }), maxLines: fc.integer({ min: 0, max: 30 }), reference: fc.constant('blob 1') },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(text, options, (original, limits) => {
        const result = cutText(original, limits)
        const { maxBytes = 51_200, maxLines = 2000 } = limits
        expect(Buffer.byteLength(result.text)).toBeLessThanOrEqual(maxBytes)
        expect(linesOf(result.text)).toBeLessThanOrEqual(maxLines)
        expect(wellFormed(result.text)).toBe(result.text)
        expect(result.cut).toBe(Buffer.byteLength(original) > maxBytes || linesOf(original) > maxLines)
        if (!result.cut) return
        expect(result).toMatchObject({ bytes: Buffer.byteLength(original), lines: linesOf(original) })
        const [head = '', marked] = result.text.split('[… ')
        expect(original.startsWith(head) || original.startsWith(head.slice(0, -1))).toBe(true)
        if (marked === undefined) return
        const tail = marked.slice(marked.indexOf('…]') + 3)
        expect(original.endsWith(tail)).toBe(true)
        const kept = Buffer.byteLength(head.slice(0, -1)) + Buffer.byteLength(tail)
        expect(marked.replaceAll(',', '').startsWith(`${Buffer.byteLength(original) - kept} of `)).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  test('counts bytes over chunk borders that fall into a pair', () => {
    const text = `x${'😀'.repeat(40_000)}`
    expect(cutText(text)).toMatchObject({ cut: true, bytes: 160_001, lines: 1 })
  })
})
