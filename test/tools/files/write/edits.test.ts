import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyEdits } from '../../../../src/tools/files/write/edits.ts'
import { placesOf } from '../../../../src/tools/files/write/search.ts'
import { textOf } from '../../../../src/tools/files/write/text.ts'

interface Change {
  readonly old: string
  readonly new: string
  readonly all?: boolean
}

const { signal } = new AbortController()
const most = 4_194_304

async function messageFor(text: string, ...edits: readonly Change[]): Promise<string> {
  const file = textOf(Buffer.from(text))
  if (file === undefined) throw new Error('no text')
  try {
    return `made: ${JSON.stringify((await applyEdits('f', file, edits, most, signal)).text)}`
  } catch (error) {
    return (error as Error).message
  }
}

const code = 'function add(a, b) {\n\treturn a + b\n}\n\nfunction sub(a, b) {\n\treturn a - b\n}\n'

describe('what a model reads of an edit that can not be made', () => {
  const cases: readonly (readonly [string, readonly [string, ...Change[]], string])[] = [
    [
      'two places',
      [code, { old: '\treturn a', new: '\treturn b' }],
      `The edit was not made: 'old' is in 'f' 2 times (lines 2, 6). Add lines around it to 'old' until there is one place, or set 'all' to change every one. Nothing was written.`,
    ],
    [
      'places that overlap',
      ['aaa', { old: 'aa', new: 'b' }],
      `The edit was not made: 'old' is in 'f' 2 times (line 1). Add lines around it to 'old' until there is one place, or set 'all' to change every one. Nothing was written.`,
    ],
    [
      'white space',
      [code, { old: '  return a + b', new: '  return b + a' }],
      `The edit was not made: 'old' is nowhere in 'f'. It differs only in white space. Line 2 of the file is: "\\treturn a + b". Nothing was written.`,
    ],
    [
      'white space across lines',
      [code, { old: 'add(a,b) {\n  return a+b\n}', new: 'x' }],
      `The edit was not made: 'old' is nowhere in 'f'. It differs only in white space. Lines 1 to 3 of the file are: "function add(a, b) {\\n\\treturn a + b\\n}". Nothing was written.`,
    ],
    [
      'line endings of a file with both',
      ['one\r\ntwo\nthree\n', { old: 'one\ntwo', new: 'x' }],
      `The edit was not made: 'old' is nowhere in 'f'. It differs only in line endings. Lines 1 to 2 of the file are: "one\\r\\ntwo". Nothing was written.`,
    ],
    [
      'CR LF where there is none',
      ['one\ntwo\n', { old: 'one\r\ntwo', new: 'x' }],
      `The edit was not made: 'old' is nowhere in 'f'. It differs only in line endings. Lines 1 to 2 of the file are: "one\\ntwo". Nothing was written.`,
    ],
    [
      'quotes and dashes',
      ['say “hello” — now\n', { old: 'say "hello" - now', new: 'x' }],
      `The edit was not made: 'old' is nowhere in 'f'. It differs only in quotes, dashes or accents (or white space). Line 1 of the file is: "say “hello” — now". Nothing was written.`,
    ],
    [
      'a composed letter',
      ['café noir\n'.normalize('NFD'), { old: 'café noir'.normalize('NFC'), new: 'x' }],
      `The edit was not made: 'old' is nowhere in 'f'. It differs only in quotes, dashes or accents (or white space). Line 1 of the file is: "café noir". Nothing was written.`,
    ],
    [
      'case',
      ['const Alpha = 1\n', { old: 'const alpha = 1', new: 'x' }],
      `The edit was not made: 'old' is nowhere in 'f'. It differs only in upper and lower case. Line 1 of the file is: "const Alpha = 1". Nothing was written.`,
    ],
    [
      'numbers of lines',
      [code, { old: '1: function add(a, b) {\n2: \treturn a + b', new: 'x' }],
      `The edit was not made: 'old' is nowhere in 'f'. Without the numbers at the beginning of its lines it would be found: leave them out. Nothing was written.`,
    ],
    [
      'made already',
      ['one\nzwei\n', { old: 'two', new: 'zwei' }],
      `The edit was not made: 'old' is nowhere in 'f'. 'new' is in the file, line 2: was this edit made already? No line of the file is like it: read the file again before you edit it. Nothing was written.`,
    ],
    [
      'lines that are like it',
      [code, { old: 'function add(x, y) {', new: 'x' }],
      `The edit was not made: 'old' is nowhere in 'f'. The nearest to its longest line: line 1: "function add(a, b) {"; line 5: "function sub(a, b) {". Read that part of the file again and copy it from there. Nothing was written.`,
    ],
    [
      'nothing like it',
      [code, { old: 'class Planet', new: 'x' }],
      `The edit was not made: 'old' is nowhere in 'f'. No line of the file is like it: read the file again before you edit it. Nothing was written.`,
    ],
    [
      'an empty file',
      ['', { old: 'x', new: 'y' }],
      `The edit was not made: 'old' is nowhere in 'f'. The file is empty. Nothing was written.`,
    ],
    [
      'a large file',
      ['x\n'.repeat(300_000), { old: 'y', new: 'z' }],
      `The edit was not made: 'old' is nowhere in 'f'. Read the part of the file that is meant, and copy it from there. Nothing was written.`,
    ],
    [
      'undone by the one before',
      ['one two\n', { old: 'one', new: 'uno' }, { old: 'one two', new: 'x' }],
      `Edit 2 of 2 was not made: 'old' is nowhere in 'f'. It was there before the edits above changed it. Nothing was written.`,
    ],
    [
      'no change',
      ['one\n', { old: 'one', new: 'one' }],
      `The edit of 'f' changes nothing: 'old' and 'new' are the same. Nothing was written.`,
    ],
    [
      'no change but for line endings',
      ['one\r\ntwo\r\n', { old: 'one\ntwo', new: 'one\r\ntwo' }],
      `The edit of 'f' changes nothing: 'old' and 'new' are the same. Nothing was written.`,
    ],
    [
      'edits that undo each other',
      ['one\n', { old: 'one', new: 'two' }, { old: 'two', new: 'one' }],
      `The edits of 'f' undo each other: the file would stay as it is. Nothing was written.`,
    ],
    [
      'more places than are counted',
      ['x'.repeat(2_000), { old: 'x', new: 'y' }],
      `The edit was not made: 'old' is in 'f' at least 1000 times (line 1, …). Add lines around it to 'old' until there is one place, or set 'all' to change every one. Nothing was written.`,
    ],
  ]
  test.each(cases)('%s', async (_, [text, ...edits], message) => {
    expect(await messageFor(text, ...edits)).toBe(message)
  })
})

test('`old` of a text that repeats itself costs no time to speak of', async () => {
  const start = performance.now()
  const alike = await messageFor('a'.repeat(200_000), { old: 'A'.repeat(100_000), new: 'x' })
  expect(alike).toContain('It differs only in upper and lower case.')
  expect(performance.now() - start).toBeLessThan(5_000)
})

describe('texts that make a search slow, or a result huge, cost no more than others', () => {
  const half = 'a'.repeat(50_000)
  test.each([
    ['in the file', 'a'.repeat(4_000_000), `${half}b${half}`, 'x'],
    ['in what is folded', 'a'.repeat(199_000), `${half}B${half}`, 'x'],
    ['as what it was to become', 'a'.repeat(199_000), 'b', `${half}b${half}`],
  ])('%s', async (_, text, old, next) => {
    const start = performance.now()
    expect(await messageFor(text, { old, new: next })).toContain(`'old' is nowhere in 'f'.`)
    // Some 150 s by the search of the platform.
    expect(performance.now() - start).toBeLessThan(10_000)
  })

  test('a hundred edits that double the text end at the limit; by themselves they end the process', async () => {
    const double = { old: 'a', new: 'aa', all: true }
    expect(await messageFor('a', ...Array<Change>(100).fill(double))).toBe(
      `Edit 23 of 100 would make 'f' larger than 4194304 bytes, the limit. Nothing was written. Write less.`,
    )
    expect(await messageFor('a'.repeat(4_000_000), { old: 'a', new: 'b'.repeat(100_000), all: true })).toContain(
      'larger than 4194304 bytes',
    )
  })

  test('others get their turn between two edits, and an abort is seen', async () => {
    const file = textOf(Buffer.from('a'.repeat(1_000)))
    if (file === undefined) throw new Error('no text')
    const controller = new AbortController()
    const turns = [
      { old: 'a', new: 'b', all: true },
      { old: 'b', new: 'a', all: true },
    ] as const
    const running = applyEdits('f', file, Array.from({ length: 50 }, () => turns).flat(), most, controller.signal)
    setImmediate(() => controller.abort(new Error('stop')))
    await expect(running).rejects.toThrow()
  })
})

test.each([
  ['aXbXc', 'X', [1, 3]],
  ['aaa', 'aa', [0, 1]],
  ['ab'.repeat(100), 'ba'.repeat(35), Array.from({ length: 65 }, (_, at) => 2 * at + 1)],
  [`${'a'.repeat(99)}b${'a'.repeat(99)}`, `${'a'.repeat(70)}b`, [29]],
  ['short', 's'.repeat(70), []],
])('a text is found where it is: %j', (text, wanted, places) => {
  expect(placesOf(text, wanted)).toEqual(places)
  expect(placesOf(text, wanted, 1)).toEqual(places.slice(0, 1))
  expect(placesOf(text, wanted, undefined, 'apart')).toEqual(apart(text, wanted))
})

test('long texts are found as the search of the platform finds them', () => {
  const letters = fc.array(fc.constantFrom('a', 'b'), { minLength: 60, maxLength: 90 }).map((some) => some.join(''))
  fc.assert(
    fc.property(letters, fc.array(fc.nat(2), { maxLength: 6 }), (wanted, gaps) => {
      const text = gaps.map((gap) => wanted.slice(gap) + 'a'.repeat(gap) + wanted).join('b')
      expect(placesOf(text, wanted, undefined, 'apart')).toEqual(apart(text, wanted))
      expect(placesOf(text, wanted)).toEqual(Array.from({ length: text.length }, (_, at) => at).filter((at) => text.startsWith(wanted, at)))
    }),
  )
})

function apart(text: string, wanted: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) places.push(at)
  return places
}

test('edits are made one after another, all or none', async () => {
  expect(await messageFor('one\n', { old: 'one', new: 'two' }, { old: 'two', new: 'three' })).toBe('made: "three\\n"')
  expect(await messageFor('x x\n', { old: 'x', new: 'xx', all: true })).toBe('made: "xx xx\\n"')
  expect(await messageFor('one\n', { old: 'one', new: '' })).toBe('made: "\\n"')
  expect(await messageFor('a $& b\n', { old: '$&', new: '$1$$' })).toBe('made: "a $1$$ b\\n"')
})
