import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lineOfFault } from '../../../src/cli/config/json-fault.ts'

test('the line in which a text stops being JSON', () => {
  const rows: [string, number | undefined][] = [
    ['{}', undefined],
    [' [1, {"a": [true, null]}, "\\u00e9\\n", -0.5e+3] \n', undefined],
    ['', 1],
    ['{\n  "model": "a",\n}', 3],
    ['{\n  // why\n  "model": "a"\n}', 2],
    ['{\n  "model": "a"\n  "yes": true\n}', 3],
    ['{\r\n\r\n"a": tru\r\n}', 3],
    ['{"a": 1}\n\n}', 3],
    ['{"a": "two\nlines"}', 1],
    ['[1,\n2', 2],
    ['[1}', 1],
    ['{1: 2}', 1],
    ['01', 1],
    ["{'a': 1}", 1],
  ]
  for (const [text, line] of rows) expect([text, lineOfFault(text)]).toEqual([text, line])
})

test('it finds a fault exactly where JSON.parse does', () => {
  const broken = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', ':', '"', '{', ']', '0', '\\', '\u0001', '\u2028', 'e'))
    .map(([text, at, piece]) => {
      const place = at % (text.length + 1)
      return text.slice(0, place) + piece + text.slice(place + (at % 2))
    })
  fc.assert(
    fc.property(broken, (text) => {
      let isJson = true
      try {
        JSON.parse(text)
      } catch {
        isJson = false
      }
      expect(lineOfFault(text) === undefined).toBe(isJson)
    }),
    { numRuns: 2000 },
  )
})
