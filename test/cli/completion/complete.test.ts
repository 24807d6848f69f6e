import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Argument, Command, Option } from 'commander'
import { describe, expect, test } from 'vitest'
import { complete } from '../../../src/cli/completion/complete.ts'
import { unquoted } from '../../../src/cli/completion/unquoted.ts'
import { valuesFor } from '../../../src/cli/completion/values.ts'
import { rondo } from '../../../src/cli/program.ts'
import { providers } from '../../../src/cli/providers/table.ts'
import { fakeTerminal } from '../fake-terminal.ts'
import { newFolder } from '../folders.ts'
import { homeWith, strangeIds } from './sessions.ts'

/** What the command answers to a script. */
async function answer(words: readonly string[], home = newFolder(), shell = 'bash') {
  const terminal = fakeTerminal({ env: { RONDO_HOME: home, OLLAMA_HOST: 'http://127.0.0.1:1' } })
  const code = await rondo(['__complete', shell, '--', ...words], '1.2.3', terminal)
  expect([code, terminal.err]).toEqual([0, ''])
  return terminal.out
}

/** The kind and the values. */
async function values(words: readonly string[], home?: string) {
  const [kind, ...lines] = (await answer(words, home)).trimEnd().split('\n')
  return [kind, ...lines.map((line) => line.split('\t')[0])]
}

describe('rondo __complete', () => {
  test('commands, with what they are for; the hidden ones are not told', async () => {
    const lines = (await answer([''])).split('\n')
    expect(lines).toContain('run\trun a task and print the answer')
    expect(lines.filter((line) => /^(__complete|demo-part)/.test(line))).toEqual([])
    expect(await values(['sh'])).toEqual(['values', 'show'])
    expect(await values(['help', 'sh'])).toEqual(['values', 'show'])
  })

  test('a value that may be left out: sessions behind chat --resume, and options all the same', async () => {
    const home = await homeWith(['notes', 'tides'])
    const sessions = await values(['show', ''], home)
    expect(sessions.length).toBeGreaterThan(1)
    expect([await values(['chat', '--resume', ''], home), await values(['chat', '-r', ''], home)]).toEqual([sessions, sessions])
    expect(await values(['chat', '--resume', '--cw'])).toEqual(['values', '--cwd'])
    expect(await values(['chat', '--resume', '--tools', 'no'])).toEqual(['values', 'none'])
  })

  test('options of the command that stands there, wherever they stand', async () => {
    expect(await values(['run', '--max'])).toEqual(['values', '--max-iterations', '--max-cost'])
    expect(await values(['run', 'some', 'words', '--ses'])).toEqual(['values', '--session'])
    expect(await values(['show', '-'])).toEqual(['values', '--run', '--verbose', '--json', '--help', '-h'])
    expect(await values(['--v'])).toEqual(['values', '--version'])
  })

  test('models: providers first, then those of the one that is typed, by whichever name', async () => {
    expect((await values(['models', ''])).slice(0, 3)).toEqual(['values', 'openai:', 'anthropic:'])
    const [, ...named] = await values(['models', 'anthropic:'])
    expect(named.length).toBeGreaterThan(5)
    expect(named.every((name) => name?.startsWith('anthropic:'))).toBe(true)
    expect(await values(['models', '--provider', 'mis'])).toEqual(['values', 'mistral'])
    expect(await values(['run', '--model', 'openai:gpt-5-m'])).toEqual(['values', 'openai:gpt-5-mini'])
    expect(await values(['run', '--model', 'anth'])).toEqual(['values', 'anthropic:'])
    for (const name of ['gemini', 'google'])
      expect(await values(['run', '--model', `${name}:gemini-2.5-pro`])).toEqual(['values', `${name}:gemini-2.5-pro`])
    expect(await values(['models', 'nobody:'])).toEqual(['values'])
  })

  test('the value of an option, also behind =; after -- nothing is an option', async () => {
    expect(await values(['run', '--model', 'off'])).toEqual(['values', 'offline'])
    expect(await values(['run', '--model=off'])).toEqual(['values', '--model=offline'])
    expect(await values(['run', '--cwd', ''])).toEqual(['folders'])
    expect(await values(['run', '--config', ''])).toEqual(['files'])
    expect(await values(['run', '--cwd=', ''])).toEqual(['files'])
    expect(await values(['run', '--max-iterations', ''])).toEqual(['values'])
    expect(await values(['resume', 'x', '--remember', ''])).toEqual(['values', 'run', 'session'])
    expect(await values(['resume', 'x', '--approve', 'm1.0', '--deny', 'a'])).toEqual(['values', 'all'])
    expect(await values(['run', '--json=', 'x'])).toEqual(['files'])
    expect(await values(['run', '--json='])).toEqual(['values'])
    expect(await values(['run', '--', '--mo'])).toEqual(['files'])
  })

  test('arguments: choices, and names of files in a task; none too many', async () => {
    expect(await values(['completion', ''])).toEqual(['values', 'bash', 'zsh', 'fish'])
    expect(await values(['completion', 'zsh', ''])).toEqual(['values'])
    expect(await values(['run', 'what', 'is', 'in', 'REA'])).toEqual(['files'])
    expect(await values(['approvals', ''])).toEqual(['values'])
    expect(await values(['nothing', ''])).toEqual(['values'])
  })

  test('sessions, the newest first, for show, resume and --session', async () => {
    const home = await homeWith(['weather:paris', 'weather:rome', 'notes'])
    for (const words of [['show'], ['resume'], ['run', '--session'], ['run', 'x', '--session'], ['resume', '--approve', 'm1.0']])
      expect(await values([...words, 'w'], home)).toEqual(['values', 'weather:rome', 'weather:paris'])
    expect(await answer(['show', 'n'], home)).toMatch(/^values\nnotes\t\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n$/)
    expect(await values(['show', 'notes', ''], home)).toEqual(['values'])
  })

  test('ids that can not be typed or seen, or would be an option, are left out', async () => {
    const home = await homeWith([...strangeIds, 'two\nlines', 'a\ttab', '\u001b[2J', 'zero\u200bwidth', '-dash'])
    expect((await values(['show', ''], home)).slice(1).sort()).toEqual([...strangeIds].sort())
  })

  test('what goes wrong is no candidate, and nothing is said: exit code 0', async () => {
    const home = newFolder()
    writeFileSync(join(home, 'sessions.db'), 'nothing '.repeat(2000))
    expect(await answer(['show', ''], home)).toBe('')
    expect(await answer(['show', ''], newFolder())).toBe('values\n')
    expect(await answer([], home)).toMatch(/^values\ndemo\t/)
  })

  test('words of bash lose their quotes and nothing else; of fish the last one; of zsh none is left', async () => {
    const home = await homeWith(['a b'])
    for (const typed of ['a\\ ', '"a ', "'a "]) expect(await answer(['show', typed], home)).toContain('\na b\t')
    expect(await answer(['show', 'a\\ '], home, 'fish')).toContain('\na b\t')
    expect(await answer(['show', 'a\\ '], home, 'zsh')).toBe('values\n')
    const rows = [
      ['$(touch x)', '$(touch x)'],
      ['"$HOME \\$ \\a"', '$HOME $ \\a'],
      ["'it'\\''s'", "it's"],
      ['a\\', 'a'],
      ['`id`', '`id`'],
    ] as const
    for (const [word, text] of rows) expect([word, unquoted(word)]).toEqual([word, text])
  })
})

describe('values', () => {
  const slot = { placeholder: '', choices: undefined }

  test('an Ollama server is asked once ollama: is typed, and only on this machine', async () => {
    const asked: string[] = []
    const fetch = ((url: unknown) => {
      asked.push(String(url))
      return Promise.resolve(new Response(JSON.stringify({ models: [{ name: 'qwen3:8b' }, { name: 'e\u001bvil' }] })))
    }) as typeof globalThis.fetch
    const models = async (typed: string, env = {}) => {
      const found = await valuesFor(fakeTerminal({ env }), fetch)({ ...slot, name: '--model', typed })
      return found.kind === 'values' ? found.values.map(({ value }) => value) : found.kind
    }
    expect(await models('')).toEqual(['offline', ...providers.map(({ name }) => `${name}:`)])
    expect(await models('ollama:', { OLLAMA_HOST: 'gpu.example' })).toEqual([])
    expect(asked).toEqual([])
    expect(await models('ollama:q')).toEqual(['ollama:qwen3:8b'])
    expect(asked).toEqual(['http://127.0.0.1:11434/api/tags'])
  })

  test('a list of tools goes on after a comma, without those that it has', async () => {
    const found = await valuesFor(fakeTerminal())({ ...slot, name: '--tools', typed: 'read,shell,' })
    expect(found).toMatchObject({ values: expect.arrayContaining([{ value: 'read,shell,write' }]) })
    expect(JSON.stringify(found)).not.toContain('shell,read')
  })
})

test('a command, an option or a choice that is added is completed without a word more', async () => {
  const program = new Command('rondo').exitOverride()
  program
    .command('paint')
    .alias('p')
    .addOption(new Option('-c, --colour <name>').choices(['red', 'blue']))
    .addOption(new Option('--secret').hideHelp())
    .addArgument(new Argument('<where>').choices(['wall', 'door']))
    .argument('[files...]')
  const found = async (...words: string[]) => {
    const candidates = await complete(program, words, valuesFor(fakeTerminal()))
    return candidates.kind === 'values' ? candidates.values.map(({ value }) => value) : candidates.kind
  }
  expect(await found('pa')).toEqual(['paint'])
  expect(await found('p', '-c', 'r')).toEqual(['red'])
  expect(await found('paint', '--')).toEqual(['--colour', '--help'])
  expect(await found('paint', '--colour=b')).toEqual(['--colour=blue'])
  expect(await found('paint', '-c', 'red', 'w')).toEqual(['wall'])
})
