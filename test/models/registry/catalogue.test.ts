import { expect, test } from 'vitest'
import { defineModels, known, lookupModel, models } from '../../../src/models/registry/index.ts'
import { nameOf, splitName, undated } from '../../../src/models/registry/names.ts'

/** Names that no data will have, so that a newer table changes nothing here. */
const mine = defineModels({
  'acme:large': { aliases: ['big', 'best'], contextWindow: 100_000, maxOutputTokens: 8_000, prices: { input: 1, output: 2 } },
  'acme:small': { aliases: ['little'] },
  'other:large-2': { aliases: ['best'] },
  'localhost:8080:qwen3:8b': { contextWindow: 32_768 },
})

function nameIn(catalogue: typeof mine, name: Parameters<typeof mine.lookup>[0]): string | undefined {
  const entry = catalogue.lookup(name)
  return entry === undefined ? undefined : nameOf(entry)
}

test.each([
  ['acme:large', 'acme:large'],
  ['acme:big', 'acme:large'],
  ['large', 'acme:large'],
  ['little', 'acme:small'],
  ['acme:best', 'acme:large'],
  ['other:best', 'other:large-2'],
  ['localhost:8080:qwen3:8b', 'localhost:8080:qwen3:8b'],
  ['qwen3:8b', 'localhost:8080:qwen3:8b'],
  ['acme:large-2026-01-31', 'acme:large'],
  ['acme:big-20260131', 'acme:large'],
  ['little@20260131', 'acme:small'],
  ['acme:large-20261331', undefined],
  ['acme:nothing', undefined],
  ['nobody:large', undefined],
  ['other:large', undefined],
  ['', undefined],
  [':', undefined],
])('%s is %s', (name, found) => {
  expect(nameIn(mine, name)).toBe(found)
})

test('a name that may mean several models is an error that names them', () => {
  expect(() => mine.lookup('best')).toThrow('best may be one of several models: acme:large, other:large-2. Say which.')
  expect(() => known('best', mine)).toThrow(expect.objectContaining({ code: 'ConfigInvalid' }))
  const twice = defineModels({ 'acme:a': { aliases: ['fast'] }, 'acme:b': { aliases: ['fast'] } })
  expect(() => twice.lookup('acme:fast')).toThrow('acme:fast may be one of several models: acme:a, acme:b. Say which.')
})

test.each([undefined, null, 5, {}, { provider: 'acme' }])('what is no name (%j) is refused', (name) => {
  const said = "The name of a model must be a text, as 'openai:gpt-5-mini', or a model."
  expect(() => lookupModel(name as string)).toThrow(expect.objectContaining({ code: 'ConfigInvalid', message: said }))
})

test('within a provider an id goes before an alias; alone the two are ambiguous', () => {
  const both = defineModels({ 'acme:a': { aliases: ['b'] }, 'acme:b': {}, 'other:c': { aliases: ['b'] } })
  expect(nameIn(both, 'acme:b')).toBe('acme:b')
  expect(() => both.lookup('b')).toThrow('b may be one of several models: acme:a, acme:b, other:c. Say which.')
})

test('a model of the data is found by provider and id, by other names of its provider, by its host, and as a Model', () => {
  const { provider, id } = models().find((entry) => entry.provider === 'google')!
  for (const name of [
    `google:${id}`,
    `gemini:${id}`,
    `generativelanguage.googleapis.com:${id}`,
    { provider, id },
    { provider: 'google.generative-ai', id },
  ])
    expect(lookupModel(name)).toMatchObject({ provider, id, origin: 'data' })
  expect(lookupModel({ provider: 'google.example', id })).toBeUndefined()
})

test('a model of a package of the AI SDK is found by what the package calls its provider', () => {
  const found = (provider: string, id: string) => lookupModel({ provider, id })?.provider
  expect(found('anthropic.messages', 'claude-sonnet-4-5')).toBe('anthropic')
  expect(found('openai.responses', 'gpt-5')).toBe('openai')
  expect(found('amazon-bedrock', 'anthropic.claude-sonnet-4-5-20250929-v1:0')).toBe('amazon-bedrock')
  expect(found('bedrock.anthropic.messages', 'anthropic.claude-sonnet-4-5-20250929-v1:0')).toBe('amazon-bedrock')
})

test('a snapshot that has an entry of its own is that, and not its undated model', () => {
  const dated = defineModels({ 'acme:m': { contextWindow: 1 }, 'acme:m-2026-01-31': { contextWindow: 2 } })
  expect(['acme:m-2026-01-31', 'acme:m-2026-02-01'].map((name) => dated.lookup(name)?.contextWindow)).toEqual([2, 1])
})

test('what is said of a model goes over the data: limits and capabilities field by field, prices as a whole', () => {
  const base = models().find(
    ({ provider, prices, contextWindow }) => provider === 'google' && prices !== undefined && contextWindow !== undefined,
  )!
  const own = defineModels({
    [`gemini:${base.id}`]: { maxOutputTokens: 7, prices: { input: 9, output: 9 }, capabilities: { images: false } },
  })
  expect(own.lookup(`google:${base.id}`)).toEqual({
    ...base,
    maxOutputTokens: 7,
    prices: { input: 9, output: 9 },
    capabilities: { ...base.capabilities, images: false },
    origin: 'own',
  })
  expect(own.models()[0]?.origin).toBe('own')
  expect(own.models()).toHaveLength(models().length)
  expect(lookupModel(`google:${base.id}`)).toEqual(base)
})

test('what is said of a snapshot goes over what the data says of its undated model', () => {
  const base = models().find(({ provider, contextWindow }) => provider === 'anthropic' && contextWindow !== undefined)!
  const id = `${base.id}-20990131`
  expect(defineModels({ [`anthropic:${id}`]: { maxOutputTokens: 7 } }).lookup(`anthropic:${id}`)).toMatchObject({
    id,
    contextWindow: base.contextWindow,
    maxOutputTokens: 7,
  })
})

test('your model goes before those of the data that have the same id', () => {
  const { id } = models().find(({ provider }) => provider === 'openai')!
  expect(nameIn(defineModels({ [`acme:${id}`]: {} }), id)).toBe(`acme:${id}`)
})

test('known is what an adapter takes as capabilities; unknown limits are absent and not zero', () => {
  const seeing = { images: true, reasoning: true, structuredOutput: 'prompt', parallelCalls: false } as const
  const catalogue = defineModels({
    'acme:all': { contextWindow: 9, maxOutputTokens: 8, maxInputTokens: 7, capabilities: seeing },
    'acme:blind': { capabilities: { images: false } },
    'acme:odd': { capabilities: { images: false, imagesInResults: true } },
  })
  expect(['all', 'blind', 'odd', 'none'].map((id) => known(`acme:${id}`, catalogue))).toEqual([
    { contextWindow: 9, maxOutputTokens: 8, reasoning: true, structuredOutput: 'prompt', parallelCalls: false },
    { imagesInResults: false },
    { imagesInResults: true },
    {},
  ])
})

test('entries that can not be used are refused, all at once', () => {
  const wrong = {
    bare: {},
    'a:text': 'no',
    'a:limits': { contextWindow: 0, maxOutputTokens: 1.5, contextwindow: 5 },
    'a:lists': { aliases: [' x'], capabilities: { vision: true, structuredOutput: 'yes' } },
    'a:prices': { prices: { input: -1, tiers: [{ above: 5, input: 1 }] } },
  }
  expect(() => defineModels(wrong as never)).toThrow(
    [
      "defineModels: 'bare' must have a provider, as 'openai:NAME'",
      "'a:text' must be an object, as { contextWindow: 128_000 }",
      "'a:limits': unknown option 'contextwindow': did you mean 'contextWindow'?",
      "'a:limits': contextWindow must be a positive whole number of tokens, not 0",
      "'a:limits': maxOutputTokens must be a positive whole number of tokens, not 1.5",
      "'a:lists': aliases must be a list of names, each without the provider",
      "'a:lists': unknown option 'capabilities.vision': did you mean 'images'?",
      "'a:lists': capabilities.structuredOutput must be 'native', 'tool' or 'prompt', not 'yes'",
      "'a:prices': prices.input must be US dollars for a million tokens, 0 or more, not -1",
      "'a:prices': prices.output is missing: it must be US dollars for a million tokens, 0 or more",
      "'a:prices': prices.tiers[0].output is missing: it must be US dollars for a million tokens, 0 or more.",
    ].join('; '),
  )
  expect(() => defineModels([] as never)).toThrow("the entries must be an object, as { 'openai:NAME': { contextWindow: 128_000 } }.")
  expect(() => defineModels({ 'gemini:m': {}, 'google:m': {} }).models()).toThrow('google:m is there twice, by two names of its provider.')
})

test.each([
  ['openai:gpt', 'openai', 'gpt'],
  ['ollama:qwen3:8b', 'ollama', 'qwen3:8b'],
  ['localhost:8080:qwen3:8b', 'localhost:8080', 'qwen3:8b'],
  ['[::1]:8080:qwen3', '[::1]:8080', 'qwen3'],
  ['ollama:8080', 'ollama', '8080'],
])('%s has the provider %s', (name, provider, id) => {
  expect(splitName(name)).toEqual({ provider, id })
})

test.each([
  ['m-2025-08-07', 'm'],
  ['m-20250807', 'm'],
  ['m@20250807', 'm'],
  ['m-2025-0807', undefined],
  ['m-0613', undefined],
  ['m-2512', undefined],
  ['-20250807', undefined],
  ['m', undefined],
])('%s without its date is %s', (id, short) => {
  expect(undated(id)).toBe(short)
})
