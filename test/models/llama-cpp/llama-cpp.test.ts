import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { tinyGguf } from '../../setup/tiny-gguf.ts'

// The model runs in a process of its own (fixtures/scenes.mjs), which plays all scenes once. Its weights are random and its words are nonsense, but the same
// ones each time: what is tested is everything round them.

const isInstalled = existsSync(
  join(createRequire(import.meta.url).resolve('../../../package.json'), '../node_modules/node-llama-cpp/package.json'),
)
const built = fileURLToPath(new URL('../../../dist/models/llama-cpp/index.js', import.meta.url))
const title = isInstalled ? 'a GGUF file in this process' : 'a GGUF file in this process (skipped: node-llama-cpp is not installed)'

interface Played {
  readonly name: string
  readonly result?: unknown
  readonly error?: string
}

const played = new Map<string, Played>()
let end: { readonly code: number | null; readonly errors: string }

function scene(name: string): unknown {
  const one = played.get(name)
  if (one === undefined) throw new Error(`the scene was not played; the process ended with ${end.code}: ${end.errors}`)
  if (one.error !== undefined) throw new Error(one.error)
  return one.result
}

async function play(): Promise<void> {
  if (!existsSync(built)) throw new Error(`${built} is missing: run "npm run build" first (npm test does).`)
  const folder = mkdtempSync(join(tmpdir(), 'rondo-gguf-'))
  for (const name of ['tiny.gguf', 'cut.gguf']) writeFileSync(join(folder, name), tinyGguf())
  writeFileSync(join(folder, 'wide.gguf'), tinyGguf({ contextLength: 8192 }))
  const child = spawn(process.execPath, [fileURLToPath(new URL('fixtures/scenes.mjs', import.meta.url)), folder])
  let [output, errors] = ['', '']
  child.stdout.on('data', (data) => (output += data))
  child.stderr.on('data', (data) => (errors += data))
  end = await new Promise((resolve) => child.on('close', (code) => resolve({ code, errors })))
  for (const line of output.split('\n').filter((one) => one.startsWith('{'))) {
    const one = JSON.parse(line) as Played
    played.set(one.name, one)
  }
}

test('the model of the tests is half a megabyte and the same each time', () => {
  const one = tinyGguf()
  expect(one.length).toBeLessThan(600_000)
  expect(tinyGguf().equals(one)).toBe(true)
  expect(tinyGguf({ seed: 2 }).equals(one)).toBe(false)
})

describe.skipIf(!isInstalled)(title, () => {
  beforeAll(play, 180_000)

  test('the process that opened models and left them ends by itself, with nothing on its error output', () => {
    expect(end).toEqual({ code: 0, errors: '' })
  })

  test('text streams, and tokens are counted', () => {
    expect(scene('answer')).toEqual({
      first: {
        text: 'do',
        deltas: 2,
        finishReason: 'stop',
        rawFinishReason: 'eogToken',
        usage: { inputTokens: 44, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 3, reasoningTokens: 0, complete: true },
      },
      window: 2048,
      again: 'do',
    })
  })

  test('what is written is held to a schema', () => {
    expect(scene('schema')).toEqual({
      n: expect.any(Number),
      kind: expect.stringMatching(/^[ab]$/),
      list: [expect.any(String), expect.any(String)],
    })
  })

  test('a whole run: a call that the grammar made fit, its result, an answer', () => {
    expect(scene('run')).toEqual({
      status: 'completed',
      text: expect.stringMatching(/^\w+$/),
      iterations: 2,
      usage: expect.objectContaining({ complete: true }),
      calls: [{ toolName: 'city', outcome: 'ok', input: { name: expect.any(String) } }],
    })
  })

  test('handoff: a session of each API goes on here, with an image, calls, errors and an aborted turn, and back again', () => {
    const whole = {
      statuses: ['completed', 'aborted', 'completed', 'Ready.'],
      calls: ['city ok'],
      goesBack: true,
      violations: [],
    }
    expect(scene('handed')).toEqual({ chat: whole, responses: whole, anthropic: whole, gemini: whole, ollama: whole })
  })

  test('what a grammar can’t say is found when the arguments are validated', () => {
    expect(scene('invalid')).toEqual({
      status: 'completed',
      calls: [{ outcome: 'invalid', message: expect.stringMatching(/must match pattern/) }],
    })
  })

  test('an output is typed', () => {
    expect(scene('output')).toEqual({
      status: 'completed',
      output: { name: expect.any(String), size: expect.stringMatching(/^(?:small|large)$/) },
    })
  })

  test('of a session only what is new is evaluated, and the text is that of one that begins anew', () => {
    const { usages, third, alone, aloneUsage, elsewhere } = scene('prefix') as {
      readonly [name: string]: unknown
      readonly usages: readonly { readonly inputTokens: number; readonly cachedInputTokens: number }[]
      readonly aloneUsage: { readonly cachedInputTokens: number }
    }
    // The words at the beginning of the format are those of every request.
    expect(usages[0]?.cachedInputTokens).toBeLessThan(10)
    expect(usages[1]?.cachedInputTokens).toBeGreaterThanOrEqual(usages[0]?.inputTokens ?? Number.NaN)
    expect(usages[2]?.cachedInputTokens).toBeGreaterThanOrEqual(usages[1]?.inputTokens ?? Number.NaN)
    expect(aloneUsage.cachedInputTokens).toBe(0)
    expect(third).toBe(alone)
    expect(third).not.toBe(elsewhere)
  })

  test('an abort ends the request at once with its reason, and the next one is served', () => {
    const { afterMs, ...rest } = scene('abort') as { readonly afterMs: number }
    expect(rest).toEqual({ isReason: true, next: 'do', early: { message: 'enough' } })
    expect(afterMs).toBeLessThan(5_000)
  })

  test('who waits for its turn and is aborted leaves, and the others are served in their order', () => {
    expect(scene('waiting')).toEqual({ ended: { message: 'no time' }, lengths: [302, 2] })
  })

  test('runs at the same time share the file; each gets what it gets alone', () => {
    const runs = scene('concurrent') as readonly unknown[]
    expect(runs).toHaveLength(6)
    for (const [index, run] of runs.entries()) {
      expect(run).toMatchObject({ status: 'completed', calls: [{ name: expect.any(String) }] })
      expect(run).toEqual(runs[index % 3])
    }
  })

  test('an input that is too long is an overflow with its numbers, and nothing is cut away in silence', () => {
    expect(scene('overflow')).toEqual({
      error: {
        code: 'ModelContextOverflow',
        message: expect.stringMatching(/\(1039 tokens, limit 256 tokens;/),
        retryable: false,
      },
      window: 256,
      run: { status: 'failed', reason: 'model_error' },
    })
  })

  test('an answer ends at its limit and at the end of the context', () => {
    expect(scene('length')).toEqual({ cut: ['length', 'maxTokens', 10], filled: ['length', 254] })
  })

  test('a seed repeats what was drawn', () => {
    const { one, again, other } = scene('sampling') as { readonly [name: string]: string }
    expect(again).toBe(one)
    expect(other).not.toBe(one)
  })

  test('what can’t be done is refused with words, and the model goes on', () => {
    expect(scene('refusals')).toEqual({
      circle: {
        code: 'ModelBadRequest',
        message: expect.stringMatching(/no grammar could be made .* set constrain: false\.$/),
        retryable: false,
      },
      next: 'do',
    })
  })

  test('no such file, no GGUF and a damaged one are told apart', () => {
    expect(scene('files')).toEqual({
      none: { code: 'ConfigInvalid', message: expect.stringMatching(/none\.gguf can't be read: ENOENT/), retryable: false },
      words: { code: 'ConfigInvalid', message: expect.stringMatching(/words\.gguf is no GGUF file\.$/), retryable: false },
      cut: {
        code: 'ConfigInvalid',
        message: expect.stringMatching(/cut\.gguf could not be loaded: .* damaged or not complete/),
        retryable: false,
      },
    })
  })

  test('a model that is disposed of ends what runs and refuses what comes', () => {
    const refused = { code: 'ModelBadRequest', message: expect.stringMatching(/was disposed of\. Make a new one/), retryable: false }
    expect(scene('disposed')).toEqual({ running: refused, later: refused, load: refused })
  })
})
