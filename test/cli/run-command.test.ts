import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type RunFlags, runCommand } from '../../src/cli/run-command.ts'
import { CannotRun, type Interruption } from '../../src/cli/terminal.ts'
import type { Model, ModelRequest, NewEntry } from '../../src/index.ts'
import { sqlite } from '../../src/stores/sqlite.ts'
import { fakeOpenAIChat } from '../../src/testing/fake/chat/index.ts'
import { type Script, scripted } from '../../src/testing/index.ts'
import { type FakeOptions, type FakeTerminal, fakeTerminal, settled } from './fake-terminal.ts'
import { newFolder } from './folders.ts'

const files = { 'tides.csv': 'hour,metres\n12,4.1\n' }

interface Setting extends FakeOptions {
  readonly home?: string
  readonly model?: Model
  readonly flags?: RunFlags
}

async function run(words: readonly string[], { home = newFolder(), model, flags = {}, ...options }: Setting) {
  const terminal = fakeTerminal({ columns: 80, cwd: newFolder(files), env: { RONDO_HOME: home }, ...options })
  const code = await runCommand(words, flags, terminal, model)
  return { code, terminal, out: settled(terminal.out), err: settled(terminal.err), screen: settled(terminal.screen), home }
}

async function refusal(words: readonly string[], setting: Setting): Promise<string> {
  return run(words, setting).then(
    () => expect.fail('it ran'),
    (error: unknown) => {
      if (error instanceof CannotRun) return error.message
      throw error
    },
  )
}

const lookAndTell: Script = [
  { text: 'I look.', calls: [{ name: 'read_file', input: { path: 'tides.csv' } }] },
  { calls: [{ name: 'read_file', input: { path: 'no.csv' } }] },
  'High at noon.\u001b[2J',
]

describe('a run', () => {
  test('on a screen: model, calls, answer, and how it ended', async () => {
    const { code, screen } = await run(['when', 'is', 'high', 'tide?'], { model: scripted(lookAndTell), outIsTTY: true, errIsTTY: true })
    expect([code, screen]).toEqual([
      0,
      `Model: scripted:script

I look.

✓ read_file    path=tides.csv                                   2 lines TIME
✗ read_file    path=no.csv                                        error TIME
  No file or folder 'no.csv'. Use list_files to see what the root folder holds.

High at noon.\\x1b[2J

completed · 3 iterations · 2 tool calls · 45 tokens (30 in, 15 out) · TIME
session s_ID · rondo show s_ID
`,
    ])
  })

  test('in pipes: the answer alone on stdout, the words joined into the task', async () => {
    const model = scripted(lookAndTell)
    const { code, out } = await run(['when', 'is', 'high', 'tide?'], { model })
    expect([code, out]).toEqual([0, 'High at noon.\\x1b[2J\n'])
    expect([...(model.requests[0] as ModelRequest).messages].map(({ parts }) => parts)).toEqual([
      [{ type: 'text', text: 'when is high tide?' }],
    ])
  })

  test('--json: every event is a line on stdout, run.finished the last; stderr stays empty', async () => {
    const { code, out, err } = await run(['look'], { model: scripted(lookAndTell), flags: { json: true } })
    const events = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; result?: { text: string } })
    expect([code, err, events[0]?.type, events.at(-1)?.type]).toEqual([0, '', 'run.started', 'run.finished'])
    expect(events.at(-1)?.result?.text).toBe('High at noon.\u001b[2J')
    expect(events.filter(({ type }) => type === 'call.settled')).toHaveLength(2)
  })

  test('the task may stand on stdin, with no words or with -', async () => {
    for (const words of [[], ['-']]) {
      const model = scripted(['Done.'])
      await run(words, { model, input: '  list\nthe files\n' })
      expect([...(model.requests[0] as ModelRequest).messages][0]?.parts).toEqual([{ type: 'text', text: 'list\nthe files' }])
    }
  })

  test('--cwd is the folder that the tools read', async () => {
    const folder = newFolder({ 'b.txt': 'b' })
    const model = scripted([{ calls: [{ name: 'list_files', input: {} }] }, 'Done.'])
    await run(['look'], { model, flags: { cwd: folder } })
    expect(JSON.stringify([...(model.requests[1] as ModelRequest).messages])).toContain('b.txt')
  })

  test('a run that fails is exit code 1 and says why', async () => {
    const model = scripted([{ fail: { code: 'ModelAuthError', category: 'model', message: 'The key is wrong.', retryable: false } }])
    const { code, out, err } = await run(['look'], { model })
    expect([code, out, err]).toEqual([
      1,
      '',
      `failed (model_error) · 0 iterations · 0 tool calls · at least 0 tokens · TIME
The key is wrong.
session s_ID · rondo show s_ID
`,
    ])
  })

  test('--max-iterations: exit code 3, and how to go further', async () => {
    const model = scripted([{ calls: [{ name: 'list_files', input: {} }] }, 'As far as I came.'])
    const { code, out, err } = await run(['look'], { model, flags: { maxIterations: 1 } })
    expect([code, out]).toEqual([3, 'As far as I came.\n'])
    expect(err.split('\n').slice(-5, -2)).toEqual([
      'incomplete (max_iterations) · 1 iteration · 1 tool call',
      '  30 tokens (20 in, 10 out) · TIME',
      'It met the limit of iterations: raise it with --max-iterations.',
    ])
  })

  test('npx and npm start name the command as the user can call it', async () => {
    const home = newFolder()
    for (const event of ['npx', 'start']) {
      const { err } = await run(['look'], {
        outIsTTY: true,
        model: scripted(['Done.']),
        env: { RONDO_HOME: home, npm_lifecycle_event: event },
      })
      expect(err).toContain('npx rondo show s_ID\n')
    }
  })
})

describe('sessions', () => {
  test('--session begins one, goes on with it, and says which', async () => {
    const home = newFolder()
    const first = await run(['look'], { home, outIsTTY: true, model: scripted(['One.']), flags: { session: 'notes' } })
    expect(first.err).toMatch(/^Session notes is new\.\n.*\nsession notes · rondo show notes\n$/s)
    const model = scripted(['Two.'])
    const second = await run(['again'], { home, model, flags: { session: 'notes' } })
    expect(second.err).not.toContain('is new')
    expect([...(model.requests[0] as ModelRequest).messages].map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  })

  test('an unfinished run refuses a new one and says how to finish it; --resume finishes it', async () => {
    const home = newFolder()
    await leaveUnfinished(home, 'notes')
    expect(await refusal(['more'], { home, model: scripted([]), flags: { session: 'notes' } })).toBe(
      'Session notes has an unfinished run (preparing). If another rondo is at work on it, wait for that; else finish it first:\n  rondo resume notes',
    )
    await leaveUnfinished(home, '-x')
    expect(await refusal(['more'], { home, model: scripted([]), flags: { session: '-x' } })).toMatch(/\n {2}rondo resume -- -x$/)
    const resumed = await run([], { home, model: scripted(['Done.']), flags: { session: 'notes', resume: true } })
    expect([resumed.code, resumed.out]).toEqual([0, 'Done.\n'])
  })

  test('--resume refuses what it can not do', async () => {
    const home = newFolder()
    await run(['look'], { home, model: scripted(['One.']), flags: { session: 'notes' } })
    const model = scripted([])
    const refusals = [
      await refusal([], { home, model, flags: { resume: true } }),
      await refusal(['word'], { home, model, flags: { resume: true, session: 'notes' } }),
      await refusal([], { home, model, flags: { resume: true, session: 'other' } }),
      await refusal([], { home, model, flags: { resume: true, session: 'notes' } }),
    ]
    expect(refusals).toEqual([
      '--resume needs the session whose run shall go on: rondo resume ID',
      '--resume goes on with the task that the run has. Leave the words out, or leave --resume out.',
      expect.stringMatching(/^There is no session other\. The newest in /),
      'Session notes has nothing to resume: its last run completed. Give it a task: rondo run --session notes "…"',
    ])
  })

  test('where the file can not be written the run goes on and says that it is not kept; a session can not', async () => {
    const home = join(newFolder({ file: '' }), 'file', 'below')
    const { code, out, err } = await run(['look'], { home, model: scripted(['Done.']) })
    expect([code, out]).toEqual([0, 'Done.\n'])
    expect(err).toMatch(/^This session is not kept\. .*could not be created.*RONDO_HOME names another folder\.\n/)
    expect(err).not.toContain('show')
    expect(await refusal(['look'], { home, model: scripted([]), flags: { session: 'notes' } })).toMatch(/^Session notes can't be opened: /)
  })
})

describe('Ctrl-C', () => {
  /** Ctrl-C while the model thinks. */
  async function interrupted(why: Interruption, setting: Setting) {
    let terminal: FakeTerminal | undefined
    const model = scripted([
      () => {
        terminal?.interrupt(why)
        return { delayMs: 60_000 }
      },
    ])
    return run(['look'], {
      outIsTTY: true,
      ...setting,
      model,
      onWrite(text, own) {
        terminal = own
        setting.onWrite?.(text, own)
      },
    })
  }

  test('aborts the run, waits for its end and says so: exit code 130', async () => {
    const { code, err } = await interrupted('SIGINT', {})
    expect([code, err]).toEqual([
      130,
      `Model: scripted:script

aborting …

aborted · 0 iterations · 0 tool calls · at least 0 tokens · TIME
Interrupted by Ctrl-C.
session s_ID · rondo show s_ID
`,
    ])
  })

  test('SIGTERM and SIGHUP do the same', async () => {
    const ends = [await interrupted('SIGTERM', {}), await interrupted('SIGHUP', {})]
    expect(ends.map(({ code, err }) => [code, err.split('\n').at(-3)])).toEqual([
      [130, 'Terminated by SIGTERM.'],
      [130, 'The terminal was closed.'],
    ])
  })

  test('a second one ends the process at once, but not the echo that npm sends of the first', async () => {
    const exits: (readonly number[])[] = []
    await interrupted('SIGINT', {
      onWrite(text, terminal) {
        if (!text.startsWith('aborting')) return
        for (const ms of [0, 249, 1]) {
          terminal.pass(ms)
          terminal.interrupt('SIGINT')
          exits.push([...terminal.exits])
        }
      },
    })
    expect(exits).toEqual([[], [], [130]])
  })

  test('a reader that leaves aborts the run without a word', async () => {
    const { code, err } = await interrupted('reader-gone', { flags: { json: true } })
    expect([code, err]).toEqual([130, ''])
  })
})

describe('what can not begin', () => {
  test('no task', async () => {
    const message = 'There is no task. Say what to do: rondo run "find the largest files"'
    expect([await refusal([], {}), await refusal([''], {}), await refusal([], { input: ' \n' })]).toEqual([message, message, message])
  })

  test('a folder that is none', async () => {
    const cwd = newFolder({ 'a.txt': '' })
    expect(await refusal(['x'], { cwd, flags: { cwd: 'nowhere\u001b' } })).toBe(`There is no folder ${cwd}/nowhere\\x1b (--cwd).`)
    expect(await refusal(['x'], { cwd, flags: { cwd: 'a.txt' } })).toBe(
      `${cwd}/a.txt is a file (--cwd). Name the folder that the agent shall work in.`,
    )
  })

  test('a session id that is none, a delay that is none', async () => {
    expect(await refusal(['x'], { flags: { session: 'a b\u001b' } })).toMatch(/^The session id "a b\\\\x1b" can't be used/)
    expect(await refusal(['x'], { env: { RONDO_MODEL: 'offline', RONDO_OFFLINE_DELAY_MS: '-1' } })).toMatch(
      /^RONDO_OFFLINE_DELAY_MS must be a whole number/,
    )
  })

  test('a sessions file that is damaged stops, so that nothing is split in two', async () => {
    const home = newFolder()
    writeFileSync(join(home, 'sessions.db'), 'no database '.repeat(1000))
    expect(await refusal(['x'], { home, model: scripted([]) })).toMatch(/damaged or no SQLite database.*RONDO_HOME names another folder\.$/)
  })
})

/** A session as a process leaves it that dies right after it was asked for a run. */
async function leaveUnfinished(home: string, session: string): Promise<void> {
  const store = sqlite(join(home, 'sessions.db'))
  const input = [{ role: 'user', parts: [{ type: 'text', text: 'look' }] }] as const
  const entries: NewEntry[] = [
    { v: 1, id: 'e1', seq: 1, kind: 'session', data: { version: 1 } },
    { v: 1, id: 'e2', seq: 2, kind: 'run.requested', runId: 'r1', data: { agent: { name: 'rondo' }, input, task: 'run' } },
  ]
  await store.append(session, entries, { expectedSeq: 0 })
  await store.close()
}

describe('--output-schema', () => {
  const schema = { type: 'object', properties: { files: { type: 'integer' } }, required: ['files'], additionalProperties: false }

  function withSchema(text = JSON.stringify(schema)) {
    const cwd = newFolder({ 'sizes.json': text })
    return { cwd, flags: { outputSchema: 'sizes.json', tools: ['read'] } }
  }

  test('the answer fits it, and is printed as JSON: in one line into a pipe, readable on a screen', async () => {
    const answers: Script = [{ calls: [{ name: 'list_files', input: {} }] }, 'There are two.', '{"files":2}']
    const piped = await run(['how many?'], { ...withSchema(), model: scripted(answers) })
    expect([piped.code, piped.out, piped.err]).toEqual([0, '{"files":2}\n', ''])
    const screen = await run(['how many?'], { ...withSchema(), model: scripted(answers), outIsTTY: true })
    expect(screen.out).toBe('{\n  "files": 2\n}\n')
  })

  test('an answer that never fits fails the run: 1, and no value', async () => {
    const { code, out, err } = await run(['how many?'], { ...withSchema(), model: scripted(['two', 'two', 'two', 'two']) })
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain('failed (output_decoding_failed)')
  })

  test('the offline model is not asked for it', async () => {
    const terminal = fakeTerminal({ cwd: withSchema().cwd, env: { RONDO_HOME: newFolder(), RONDO_MODEL: 'offline' } })
    await expect(runCommand(['x'], withSchema().flags, { ...terminal, cwd: withSchema().cwd })).rejects.toThrow(
      'The offline model writes no JSON',
    )
  })

  test('a run that goes on elsewhere must still fit it', async () => {
    const home = newFolder()
    const flags = { ...withSchema().flags, session: 'notes', maxIterations: 1 }
    const { cwd } = withSchema()
    const look: Script = [{ calls: [{ name: 'list_files', input: {} }] }, 'So far.']
    expect((await run(['how many?'], { home, cwd, flags, model: scripted(look) })).code).toBe(3)
    const terminal = fakeTerminal({ cwd, env: { RONDO_HOME: home } })
    const code = await runCommand([], { session: 'notes', resume: true }, terminal, scripted(['Three.', '{"files":3}']))
    expect([code, terminal.out]).toEqual([0, '{"files":3}\n'])
  })

  test.each([
    ['a file that is not there', { outputSchema: 'no.json' }, undefined, 'There is no file no.json (--output-schema).'],
    ['no JSON', {}, '{', 'sizes.json (--output-schema) is no JSON: '],
    ['no schema', {}, '{"type":"objekt"}', 'sizes.json (--output-schema) is no JSON Schema that can be used: '],
  ])('%s is refused', async (_name, flags, text, message) => {
    const setting = withSchema(text)
    expect(await refusal(['x'], { ...setting, flags: { ...setting.flags, ...flags }, model: scripted([]) })).toContain(message)
  })
})

test('--max-cost: exit code 3 when the run has cost so much, and what it cost is told', async () => {
  const call = { calls: [{ name: 'list_files', input: {} }], usage: { costUsd: 0.03 } }
  const model = scripted([call, call, { text: 'As far as I came.', usage: { costUsd: 0.01 } }])
  const { code, err } = await run(['look'], { model, outIsTTY: true, flags: { maxCost: 0.05 } })
  expect([code, err]).toEqual([3, expect.stringContaining('incomplete (budget_exceeded)')])
  expect(err).toContain('$0.0700')
})

describe('--max-cost and prices', () => {
  const look = { calls: [{ name: 'list_files', input: {} }], usage: { inputTokens: 1_000, outputTokens: 100 } }
  const flagsAt = (url: string): RunFlags => ({ model: 'qwen3', baseUrl: url, maxCost: 0.003 })
  const priced = (url: string) => ({ [`${new URL(url).host}:qwen3`]: { prices: { input: 1, output: 10 } } })

  test('a server that tells no cost: it is counted by the prices, and the run stops', async () => {
    await using server = await fakeOpenAIChat([look, look, { text: 'As far as I came.' }])
    const flags = { ...flagsAt(server.url), models: priced(server.url) }
    const { code, err } = await run(['look'], { flags, outIsTTY: true })
    expect([code, err]).toEqual([3, expect.stringContaining('incomplete (budget_exceeded) · 2 iterations')])
    expect(err).toMatch(/· \$0\.0041 ·/)
    expect(err).not.toContain('is not known')
  })

  test('without a known price it says so, also where else nothing is said, and that nobody stops it', async () => {
    await using server = await fakeOpenAIChat([look, look, look, { text: 'Done.' }])
    const { code, err } = await run(['look'], { flags: flagsAt(server.url) })
    const name = `${new URL(server.url).host}:qwen3`
    expect([code, err]).toEqual([
      0,
      `What ${name} costs is not known: the limit of $0.003 holds only where its server tells what calls cost. You can say its prices: "models" in rondo.config.json.\n`,
    ])
  })

  test('the offline model costs nothing, and no more is said', async () => {
    expect((await run(['list the files'], { flags: { model: 'offline', maxCost: 1 } })).err).toBe('')
  })
})
