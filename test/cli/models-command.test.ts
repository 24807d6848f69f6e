import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { modelFacts, modelTable } from '../../src/cli/model-list/model-lines.ts'
import { type ModelsFlags, modelsCommand } from '../../src/cli/model-list/models-command.ts'
import { CannotRun } from '../../src/cli/terminal.ts'
import { columnsOf } from '../../src/cli/text.ts'
import { dataSource, defineModels, type ModelFacts, models } from '../../src/models/registry/index.ts'
import { type FakeOptions, fakeTerminal } from './fake-terminal.ts'
import { newFolder } from './folders.ts'

const mine: { readonly [name: string]: ModelFacts } = {
  'acme:large': {
    aliases: ['big'],
    contextWindow: 1_050_000,
    maxInputTokens: 900_000,
    maxOutputTokens: 8_192,
    prices: { input: 0.25, output: 2, cachedInput: 0.025, tiers: [{ above: 200_000, input: 0.5, output: 3 }] },
    capabilities: { reasoning: true, images: false, structuredOutput: 'prompt' },
  },
  'acme:large-vision-preview-of-a-name-that-is-longer-than-most': { contextWindow: 999, capabilities: { images: true } },
  'acme:small\u001b[2J': {},
}

const ownCount = Object.keys(mine).length

async function list(words: readonly string[] = [], flags: ModelsFlags = {}, options: FakeOptions = {}) {
  const file = join(newFolder(), 'own', 'rondo.config.json')
  mkdirSync(dirname(file))
  writeFileSync(file, JSON.stringify({ models: mine }))
  const terminal = fakeTerminal({ cwd: newFolder(), env: { RONDO_CONFIG: file }, ...options })
  const code = await modelsCommand(words, flags, terminal)
  return { code, out: terminal.out, err: terminal.err }
}

const lines = (text: string) => text.trimEnd().split('\n')

describe('rondo models', () => {
  test('a line a model, yours first; legend, date and source stand on standard error', async () => {
    const { code, out, err } = await list(['acme', 'L'])
    expect([code, out]).toEqual([
      0,
      `model                                                         window output   $ in  $ out
acme:large*                                                    1.05M  8.19k   0.25      2  R
acme:large-vision-preview-of-a-name-that-is-longer-than-most*    999      -      -      -  I
acme:small\\x1b[2J*                                                 -      -      -      -
`,
    ])
    expect(err).toBe(
      `$ is USD for a million tokens. R reasons, I takes images, - is not known, * has figures of yours.
Figures and list prices of ${dataSource.date}, from ${dataSource.package} ${dataSource.version} (MIT).
`,
    )
  })

  test('into a pipe a line a model too when all names are short', async () => {
    expect((await list(['acme:small'])).out).toBe(
      `model              window output   $ in  $ out
acme:small\\x1b[2J*      -      -      -      -
`,
    )
  })

  test('a name that is too long for the screen stands in a line of its own', async () => {
    expect((await list(['acme', 'large'], {}, { columns: 60 })).out).toBe(
      `model                        window output   $ in  $ out
acme:large*                   1.05M  8.19k   0.25      2  R
acme:large-vision-preview-of-a-name-that-is-longer-than-most
*
                                999      -      -      -  I
`,
    )
  })

  test.each([20, 32, 40, 52, 60, 80, 120])('nothing is wider than a screen of %i columns', (columns) => {
    const screen = { color: false, columns }
    const entries = [...defineModels(mine).models().slice(0, 3), ...models().filter((_, at) => at % 40 === 0)]
    const wide = [modelTable(entries, screen), ...entries.map((entry) => modelFacts(entry, 'x', screen))]
      .flatMap((text) => lines(text))
      .filter((line) => columnsOf(line) > Math.max(columns, 34))
    expect(wide).toEqual([])
  })

  test('one that is named is shown as a whole, by its name, id or alias', async () => {
    const facts = `context window  1,050,000 tokens
input limit     900,000 tokens
output limit    8,192 tokens
reasoning       yes
images          no
json output     prompt
price           $0.25 input, $2 output, $0.025 cached input, for a million tokens
> 200k input    $0.5 input, $3 output
aliases         big
yours           rondo.config.json says some of this
`
    expect((await list(['acme:large'])).out).toBe(`acme:large\n${facts}`)
    expect((await list(['big'])).out).toBe(`acme:large (big)\n${facts}`)
    expect((await list(['acme:large-2026-01-31'])).out).toBe(`acme:large (acme:large-2026-01-31)\n${facts}`)
    expect((await list(['acme:small\u001b[2J'])).out).toContain('context window  not known\noutput limit    not known\n')
  })

  test('a name that several providers have is a list, those called just so first', async () => {
    const counts = new Map<string, number>()
    for (const { id } of models()) counts.set(id, (counts.get(id) ?? 0) + 1)
    const [id = '', many = 0] = [...counts].find(([, count]) => count > 1) ?? []
    const { out } = await list([id])
    expect(
      lines(out)
        .slice(1, many + 1)
        .every((line) => line.split(' ')[0]?.endsWith(`:${id}`)),
    ).toBe(true)
  })

  test('50 at most, unless --limit says more; how to narrow them is told', async () => {
    const { out, err } = await list()
    expect(lines(out)).toHaveLength(51)
    expect(err).toMatch(
      /^[\d,]+ more models fit\. Narrow them with words or --provider \(acme, openai, .*\), or see more with --limit \d+\.\n/,
    )
    const all = await list([], { limit: 100_000 })
    expect(lines(all.out)).toHaveLength(models().length + ownCount + 1)
    expect(all.err).toMatch(/^\$ is USD/)
  })

  test('--provider has its models alone; one that is not there is refused with those that are', async () => {
    const { out } = await list([], { provider: 'anthropic', limit: 500 })
    expect(
      lines(out)
        .slice(1)
        .every((line) => line.startsWith('anthropic:')),
    ).toBe(true)
    const refused = list([], { provider: 'nobody' })
    await expect(refused).rejects.toThrow(CannotRun)
    await expect(refused).rejects.toThrow(/^There is no provider 'nobody'\. There are acme, openai, /)
  })

  test('providers are named as for --model too; of one that --model takes there may be no data', async () => {
    const models = async (provider: string) => lines((await list(['2.5-flash'], { provider, limit: 500 })).out).slice(1)
    expect(await models('gemini')).toContainEqual(expect.stringMatching(/^google:gemini-2\.5-flash /))
    expect(await models('gemini')).toEqual(await models('google'))
    expect(await models('vertex')).toEqual(await models('google-vertex'))
    expect((await list(['gpt-5'], { provider: 'openai-chat' })).out).toMatch(/^openai:gpt-5 /m)
    expect((await list(['openai-chat:gpt-5'])).out).toMatch(/^openai:gpt-5 \(openai-chat:gpt-5\)\n/)
    expect(await list([], { provider: 'ollama' })).toMatchObject({ code: 0, out: expect.stringMatching(/^No model fits\./) })
  })

  test('none fits: it says so, and that is no failure', async () => {
    expect(await list(['nothing', 'such'])).toMatchObject({ code: 0, out: expect.stringMatching(/^No model fits\./) })
    expect(await list(['nothing', 'such'], { json: true })).toEqual({ code: 0, out: '', err: '' })
  })

  test('--json: all that fit, a model a line; what is not known is absent', async () => {
    const { out, err } = await list([], { json: true })
    expect(err).toBe('')
    const found = lines(out).map((line) => JSON.parse(line) as { model: string; origin: string; source?: unknown })
    expect(found).toHaveLength(models().length + ownCount)
    expect(found[0]).toEqual({ model: 'acme:large', provider: 'acme', id: 'large', ...mine['acme:large'], origin: 'own' })
    expect(found.find(({ origin }) => origin === 'data')?.source).toEqual(dataSource)
    expect(lines((await list(['big'], { json: true })).out).map((line) => JSON.parse(line))).toEqual([found[0]])
    expect(lines((await list([], { json: true, limit: 2 })).out)).toHaveLength(2)
  })

  test('--no-config leaves yours out', async () => {
    expect((await list(['acme'], { config: false })).out).toMatch(/^No model fits/)
  })
})
