import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkToolCount, commonToolNames, geminiToolNames, legalToolName } from '../../src/models/tool-names.ts'

const legal = { common: /^[a-zA-Z0-9_-]{1,64}$/, gemini: /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/ }
const anyName = fc.string({ unit: 'binary', maxLength: 200 })

describe('B026 names of tools in a history', () => {
  test('a legal name stays as it is', () => {
    for (const name of ['get_weather', 'a', 'A-1', '9lives', 'x'.repeat(64)]) expect(legalToolName(name)).toBe(name)
    expect(legalToolName('mcp.read', geminiToolNames)).toBe('mcp.read')
  })

  test('others are made legal, and end with a mark of the whole name', () => {
    expect(legalToolName('Google Search')).toMatch(/^Google_Search_[a-z0-9]{7}$/)
    expect(legalToolName('')).toMatch(/^_[a-z0-9]{7}$/)
    expect(legalToolName('a'.repeat(90))).toMatch(/^a{56}_[a-z0-9]{7}$/)
    expect(legalToolName('9lives', geminiToolNames)).toMatch(/^_9lives_[a-z0-9]{7}$/)
  })

  test('every name becomes a legal one, the same each time, and what is legal is not changed again', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const [common, gemini] = [legalToolName(name), legalToolName(name, geminiToolNames)]
        expect(common).toMatch(legal.common)
        expect(gemini).toMatch(legal.gemini)
        expect([legalToolName(name), legalToolName(common), legalToolName(gemini, geminiToolNames)]).toEqual([common, common, gemini])
      }),
    )
  })

  test('names that differ in what is illegal stay different', () => {
    const names = ['a b', 'a.b', 'a/b', 'a\u00e9b', 'a\ud83d\ude00b', ' ab', 'ab ', `${'x'.repeat(80)}1`, `${'x'.repeat(80)}2`]
    expect(new Set(names.map((name) => legalToolName(name, commonToolNames))).size).toBe(names.length)
  })
})

describe('B202 the number of tools', () => {
  const tools = (count: number) => Array.from({ length: count }, (_, i) => i)

  test('up to the limit, and where none is known, nothing is said', () => {
    expect(() => checkToolCount(tools(128), 128, 'openai')).not.toThrow()
    expect(() => checkToolCount(tools(1000), undefined, 'openai')).not.toThrow()
  })

  test('more are an error that names the limit, how many they are, and what to do', () => {
    expect(() => checkToolCount(tools(174), 128, 'openai')).toThrow(
      expect.objectContaining({
        code: 'ConfigInvalid',
        message:
          "174 tools are given, and openai takes at most 128 in one request. Give the agent fewer, or name the ones of a run in 'allowedTools'.",
      }),
    )
  })
})
