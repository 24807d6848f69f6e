import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { oldestNode } from '../../../src/cli/doctor/checks.ts'
import { type DoctorFlags, doctorCommand } from '../../../src/cli/doctor/doctor-command.ts'
import { type Installed, installedHere } from '../../../src/cli/doctor/installed.ts'
import { rondo } from '../../../src/cli/program.ts'
import { providers } from '../../../src/cli/providers/table.ts'
import { CannotRun } from '../../../src/cli/terminal.ts'
import { sqlite } from '../../../src/stores/sqlite.ts'
import { type FakeOptions, fakeTerminal } from '../fake-terminal.ts'
import { newFolder } from '../folders.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const golden = (name: string) => readFileSync(join(root, 'test', 'cli', 'golden', name), 'utf8')

interface Setting extends FakeOptions {
  readonly flags?: DoctorFlags
  readonly home?: string
  readonly installed?: Partial<Installed>
  /** What an Ollama server answers. Default: none does. */
  readonly models?: readonly string[]
}

const nothing: Installed = {
  version: '1.2.3',
  node: '22.13.0',
  hasNodeSqlite: true,
  packageVersion: () => undefined,
  fetch: () => Promise.reject(new TypeError('fetch failed')),
}

async function doctor({ flags = {}, home = newFolder(), installed, models, env, ...options }: Setting = {}) {
  const asked: string[] = []
  const fetch = (url: unknown) => {
    asked.push(String(url))
    if (models === undefined) return Promise.reject(new TypeError('fetch failed'))
    return Promise.resolve(new Response(JSON.stringify({ models: models.map((name) => ({ name })) })))
  }
  const own = { cwd: home, columns: 80, ...options, env: { LANG: 'en_GB.UTF-8', ...env } }
  const terminal = Object.assign(fakeTerminal(own), { home })
  const code = await doctorCommand(flags, '1.2.3', terminal, { ...nothing, fetch: fetch as typeof globalThis.fetch, ...installed })
  expect(terminal.err).toBe('')
  return { code, out: terminal.out, asked, home }
}

interface Report {
  readonly works: boolean
  readonly checks: readonly {
    readonly name: string
    readonly state: string
    readonly text: string
    readonly facts?: Record<string, unknown>
  }[]
}

async function report(setting: Setting = {}) {
  const { code, out } = await doctor({ ...setting, flags: { json: true, ...setting.flags } })
  const { works, checks } = JSON.parse(out) as Report
  expect(code).toBe(works ? 0 : 1)
  const check = (name: string) => checks.find((one) => one.name === name) ?? expect.fail(`no check ${name}`)
  return { works, check, broken: checks.filter(({ state }) => state === 'broken').map(({ name }) => name), out }
}

/** The sessions file of a user. */
const fileIn = (home: string) => join(home, '.local', 'share', 'rondo', 'sessions.db')

async function withSessions(count: number): Promise<string> {
  const home = newFolder()
  const store = sqlite(fileIn(home))
  for (let index = 0; index < count; index++)
    await store.append(`s${index}`, [{ v: 1, id: 'e1', seq: 1, kind: 'session', data: { version: 1 } }], { expectedSeq: 0 })
  await store.close()
  return home
}

const everything = {
  node: '24.1.0',
  packageVersion: (name: string) =>
    ({ '@mdream/js': '1.7.2', 'just-bash': '3.4.2', 'node-llama-cpp': '3.21.1', '@photostructure/sqlite': '1.2.1' })[name],
}

describe('the report', () => {
  test('of a computer with nothing but Node: what is missing, and how to get it', async () => {
    const { code, out } = await doctor({ input: '' })
    expect([code, out]).toEqual([0, golden('doctor-bare.txt')])
  })

  test('of a computer with everything', async () => {
    const home = await withSessions(2)
    mkdirSync(join(home, '.config', 'rondo'), { recursive: true })
    const settings = {
      model: 'qwen3',
      baseUrl: 'http://ann:secret@gpu.example/v1?key=k',
      allow: ['git *', 'ls *'],
      instructions: 'Be brief.',
    }
    writeFileSync(join(home, '.config', 'rondo', 'rondo.config.json'), JSON.stringify(settings))
    const env = { OPENAI_API_KEY: 'sk-secret', TERM: 'xterm', HTTPS_PROXY: 'http://ann:secret@proxy.example:3128', no_proxy: 'localhost' }
    const models = ['qwen3:8b', 'a', 'b', 'c', 'd', 'e']
    const { code, out } = await doctor({ home, env, models, installed: everything, outIsTTY: true, errIsTTY: true })
    expect([code, out]).toEqual([0, golden('doctor-full.txt')])
  })

  test('of a computer where nothing works', async () => {
    const home = newFolder({ 'rondo.config.json': '{ "modle": 1 }' })
    mkdirSync(join(home, '.local', 'share', 'rondo'), { recursive: true })
    writeFileSync(fileIn(home), 'nothing '.repeat(2000))
    const { code, out } = await doctor({ home, env: { LANG: 'C', OLLAMA_HOST: 'ftp://a' }, installed: { node: '18.20.0' } })
    expect([code, out]).toEqual([1, golden('doctor-broken.txt')])
  })

  test('no line is wider than 80 columns, nor than a narrow screen', async () => {
    for (const columns of [undefined, 200, 80, 60, 40, 30]) {
      const { out } = await doctor({ ...(columns === undefined ? {} : { columns }), env: { RONDO_HOME: `/${'x'.repeat(200)}` } })
      expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(Math.min(columns ?? 80, 80))
    }
  })

  test('--json is one line with the same, and facts for programs', async () => {
    const { out, check, works } = await report({ home: await withSessions(3) })
    expect([works, out.split('\n').length]).toEqual([true, 2])
    expect(check('rondo').facts).toEqual({ version: '1.2.3' })
    expect(check('model')).toMatchObject({ state: 'note', facts: { provider: 'rondo', id: 'offline' } })
    expect(check('sessions')).toMatchObject({ state: 'ok', facts: { driver: 'node:sqlite', writable: true, sessions: 3 } })
    expect(check('just-bash')).toMatchObject({ state: 'note', next: 'npm install just-bash@3', facts: { installed: null } })
  })

  test('nothing is made that was not there', async () => {
    const home = newFolder()
    await doctor({ home })
    expect(readdirSync(home)).toEqual([])
  })

  test('as a command: --help, its flags, and a folder that is not there', async () => {
    const call = async (...args: string[]) => {
      const terminal = fakeTerminal({ columns: 80, cwd: newFolder(), env: { RONDO_HOME: newFolder(), OLLAMA_HOST: 'ftp://none' } })
      return { code: await rondo(['doctor', ...args], '1.2.3', terminal), terminal }
    }
    const help = await call('--help')
    expect(help.terminal.out).toMatch(/^Usage: rondo doctor .*\nExamples:\n.*\nExit codes:\n/s)
    expect(help.terminal.out.split('\n').filter((line) => line.length > 80)).toEqual([])
    const { code, terminal } = await call('--model', 'offline', '--no-config')
    expect([code, terminal.out]).toEqual([0, expect.stringMatching(/^✓ rondo +1\.2\.3\n.*offline \(no network and no language model\)/s)])
    expect((await call('--cwd', 'none')).code).toBe(2)
  })
})

describe('what is broken', () => {
  test('Node is too old', async () => {
    expect((await report({ installed: { node: '20.18.3' } })).broken).toEqual(['node'])
    for (const node of ['20.19.0', '21.0.0', '100.1.2']) expect((await report({ installed: { node } })).broken).toEqual([])
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { engines: { node: string } }
    expect(engines.node).toBe(`>=${oldestNode}`)
  })

  test('settings that can not be understood; the model is then not looked at', async () => {
    const { broken, check } = await report({ home: newFolder({ 'rondo.config.json': '{' }) })
    expect([broken, check('settings').text, check('model').state]).toEqual([
      ['settings'],
      expect.stringContaining('look at line 1'),
      'note',
    ])
  })

  test('a model that can not be had, by flag, variable or file', async () => {
    const home = newFolder({ 'mine.json': '{ "model": "openai:a" }' })
    const rows: [Setting, RegExp][] = [
      [{ flags: { model: 'openai:a' } }, /^openai: needs a key/],
      [{ env: { RONDO_MODEL: 'claude' } }, /^There is no provider 'claude' \(RONDO_MODEL/],
      [{ home, flags: { config: 'mine.json' } }, /^openai: needs a key/],
      [{ flags: { baseUrl: 'http://127.0.0.1:1/v1' } }, /^--base-url needs the name of a model/],
    ]
    for (const [setting, text] of rows) {
      const { broken, check } = await report(setting)
      expect([broken, check('model').text]).toEqual([['model'], expect.stringMatching(text)])
    }
  })

  test('a sessions file that is damaged, of another program, or no file', async () => {
    for (const make of [(file: string) => writeFileSync(file, 'nothing '.repeat(2000)), (file: string) => mkdirSync(file)]) {
      const home = newFolder()
      mkdirSync(join(home, '.local', 'share', 'rondo'), { recursive: true })
      make(fileIn(home))
      expect((await report({ home })).broken).toEqual(['sessions'])
    }
  })
})

describe('what only makes less of it', () => {
  test('no SQLite, no home folder, no place that can be written: sessions are not kept', async () => {
    const rows: [Setting, RegExp][] = [
      [
        { installed: { hasNodeSqlite: false } },
        /not kept\. Node 22\.13\.0 has no SQLite\. Install one: npm install @photostructure\/sqlite@1/,
      ],
      [
        { env: { RONDO_HOME: join(newFolder({ file: '' }), 'file', 'below') } },
        /not kept\. .*sessions\.db can't be made \(\w+\)\. Make .* writable, or set RONDO_HOME/,
      ],
    ]
    for (const [setting, text] of rows) {
      const { check, works } = await report(setting)
      expect([works, check('sessions')]).toMatchObject([
        true,
        { state: 'note', text: expect.stringMatching(text), facts: { writable: false } },
      ])
    }
    const nowhere = Object.assign(fakeTerminal({ cwd: newFolder() }), { home: '' })
    expect(await doctorCommand({}, '1.2.3', nowhere, nothing)).toBe(0)
    expect(nowhere.out).toContain('No home folder is known here')
    expect(existsSync('.local')).toBe(false)
  })

  test("a project's settings that are ignored are named", async () => {
    const { check } = await report({ home: newFolder({ 'rondo.config.json': '{ "yes": true, "maxCost": 1 }' }) })
    expect(check('settings')).toMatchObject({
      state: 'note',
      text: expect.stringMatching(/rondo\.config\.json \(the project's\): maxCost 1$/),
      next: expect.stringContaining('ignored: yes.'),
      facts: { files: [{ level: 'project', sets: { maxCost: 1 }, ignored: ['yes'] }] },
    })
  })

  test('an Ollama server without models, or an address that is none', async () => {
    expect((await report({ models: [] })).check('ollama')).toMatchObject({ state: 'note', next: 'Get one: ollama pull qwen3' })
    expect((await report({ env: { OLLAMA_HOST: 'ftp://a' } })).check('ollama')).toMatchObject({
      state: 'note',
      text: expect.stringContaining("can't be read"),
    })
  })
})

describe('the network and secrets', () => {
  test('nobody is asked but the Ollama server, elsewhere only where OLLAMA_HOST says', async () => {
    const here = await doctor()
    expect(new Set(here.asked)).toEqual(new Set(['http://127.0.0.1:11434/api/tags']))
    const there = await doctor({ env: { OLLAMA_HOST: 'gpu.example', OPENAI_API_KEY: 'k' } })
    expect(there.asked).toEqual(['http://gpu.example:11434/api/tags'])
  })

  test('no secret is shown, wherever it was put, nor how long it is', async () => {
    const env = {
      OPENAI_API_KEY: 'swordfish-1',
      RONDO_API_KEY: 'swordfish-2',
      RONDO_MODEL: 'swordfish-1',
      OPENAI_BASE_URL: 'http://ann:swordfish-3@gw.example/v1?key=swordfish-4',
      OLLAMA_HOST: 'http://ann:swordfish-5@127.0.0.1:9',
      http_proxy: 'ann:swordfish-6@proxy.example:3128',
      ALL_PROXY: 'socks5://ann:swordfish-7@proxy.example',
      GITHUB_TOKEN: 'swordfish-8',
    }
    const home = newFolder({
      'mine.json': JSON.stringify({
        model: 'a',
        baseUrl: 'http://ann:swordfish-9@gw.example/v1?key=swordfish-10',
        instructions: 'swordfish-11',
      }),
      'swordfish-8.json': '{',
    })
    for (const own of [env, { ...env, RONDO_MODEL: 'openai:a' }, { ...env, RONDO_MODEL: '' }])
      for (const config of ['mine.json', 'swordfish-8.json', undefined])
        for (const json of [true, false]) {
          const flags = { json, ...(config === undefined ? {} : { config }) }
          expect((await doctor({ home, env: own, flags })).out).not.toContain('swordfish')
        }
    const misplaced = await doctor({ env: { RONDO_MODEL: 'sk-proj-swordfish' } })
    expect(misplaced.out).toContain("no provider '***'")
    expect(misplaced.out).not.toContain('swordfish')
  })

  test('a key is set or it is not; a blank one is not', async () => {
    for (const [key, is] of [
      ['k', true],
      [' ', false],
    ] as const)
      expect((await report({ env: { OPENAI_API_KEY: key } })).check('keys').facts).toMatchObject({
        OPENAI_API_KEY: is,
        RONDO_API_KEY: false,
      })
  })
})

describe('providers', () => {
  const env = {
    ANTHROPIC_API_KEY: 'swordfish-a',
    ANTHROPIC_BASE_URL: 'http://ann:secret@gw.example/x?key=k',
    CLOUDSDK_AUTH_ACCESS_TOKEN: 't',
  }
  const names = (out: string) => out.split('\n').flatMap((line) => /^[✓·✗] (\S+)/.exec(line)?.slice(1) ?? [])

  test('an address that is none is named by its variable, and is not shown', async () => {
    const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'ann:swordfish@gw.example' }
    const { broken, check } = await report({ env })
    expect([broken, check('openai'), check('model').text]).toEqual([
      ['model'],
      {
        name: 'openai',
        state: 'note',
        text: 'OPENAI_API_KEY is set, and OPENAI_BASE_URL is no URL that begins with http:// or https://',
        next: 'Correct OPENAI_BASE_URL, or unset it',
        facts: { key: 'OPENAI_API_KEY' },
      },
      'OPENAI_BASE_URL must be a URL that begins with http:// or https://.',
    ])
    expect((await doctor({ env })).out).not.toContain('swordfish')
  })

  test('one that has a key has a line, with what it lacks besides; the others are summed up', async () => {
    const { out } = await doctor({ env })
    expect(out).toContain('✓ anthropic               ANTHROPIC_API_KEY is set; at http://gw.example/x by')
    expect(out).toMatch(/· vertex +CLOUDSDK_AUTH_ACCESS_TOKEN is set, and more is needed\n +Set GOOGLE_CLOUD_PROJECT/)
    expect(names(out)).not.toContain('groq')
    expect(out).toContain('rondo doctor --verbose lists all')
    expect(out).not.toMatch(/swordfish|secret/)
  })

  test('--verbose has a line for each, with what to set', async () => {
    const { out } = await doctor({ env, flags: { verbose: true } })
    const all = providers.filter(({ peer }) => peer === undefined).map(({ name }) => name)
    expect(names(out)).toEqual(expect.arrayContaining(all))
    expect(out).toMatch(/· groq +Groq: GROQ_API_KEY is not set\n +Set GROQ_API_KEY: --model groq:/)
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(out).not.toMatch(/swordfish|secret/)
  })
})

test('what is installed here is found by its manifest', () => {
  const { packageVersion, node, version } = installedHere('1.2.3')
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { devDependencies: Record<string, string> }
  expect([packageVersion('@mdream/js'), packageVersion('@nobody/nothing'), node, version]).toEqual([
    devDependencies['@mdream/js'],
    undefined,
    process.versions.node,
    '1.2.3',
  ])
})

test('a folder that can not be read is wrong usage', async () => {
  await expect(doctor({ flags: { cwd: 'none' } })).rejects.toThrow(CannotRun)
})
