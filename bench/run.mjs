// What this build costs (npm run bench), where there is something to compare with beside a loop written by hand, in the same round. Each row says
// whether it is the median of the rounds or was measured once. Everything takes a few minutes.
//
//   node bench/run.mjs [--rounds 5] [--only http,streams,steps,deltas,sqlite,runs]

import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { Agent, noUsage, tool } from '../dist/index.js'
import { sqlite } from '../dist/stores/sqlite.js'
import { compare } from './http/compare.mjs'
import { compareStreams } from './http/streams.mjs'
import { handWritten } from './loop.mjs'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, only: { type: 'string', default: 'http,streams,steps,deltas,sqlite,runs' } },
})
const rounds = Number(values.rounds)
const only = new Set(values.only?.split(','))
const parts = ['http', 'streams', 'steps', 'deltas', 'sqlite', 'runs']
const unknown = [...only].find((name) => !parts.includes(name))
if (unknown !== undefined) fail(`--only: there is no part '${unknown}'; there are ${parts.join(', ')}.`)
if (!Number.isSafeInteger(rounds) || rounds < 1) fail(`--rounds must be a whole number from 1 on, not '${values.rounds}'.`)

/** @param {string} what */
function fail(what) {
  console.error(what)
  process.exit(2)
}
/** @type {string[][]} */
const table = []
const ofRounds = `median of ${rounds}`

const schema = z.object({ a: z.number(), b: z.number() })
const usage = { ...noUsage, inputTokens: 10, outputTokens: 5 }

/** One tool call a step, then an answer. @param {number} steps */
function stepModel(steps) {
  let step = 0
  return {
    provider: 'bench',
    id: 'steps',
    capabilities: /** @type {const} */ ({ structuredOutput: 'native', parallelCalls: true, imagesInResults: false, reasoning: false }),
    /** @param {any} _request @param {(delta: any) => void} sink */
    async stream(_request, sink) {
      const i = step++
      if (i >= steps) {
        sink({ type: 'text', part: 0, text: 'done' })
        return { finishReason: /** @type {const} */ ('stop'), usage }
      }
      sink({ type: 'call', part: 0, toolName: 'add' })
      sink({ type: 'call-input', part: 0, text: `{"a":${i},"b":1}` })
      return { finishReason: /** @type {const} */ ('tool-calls'), usage }
    },
  }
}

/** @param {number[]} times @param {string} [result] */
function addTool(times, result) {
  return tool({
    name: 'add',
    description: 'adds two numbers',
    effect: 'read',
    inputSchema: schema,
    execute: ({ a, b }) => {
      times.push(performance.now())
      return result ?? String(a + b)
    },
  })
}

/** @param {number} steps @param {object} [options] @param {string} [result] */
async function ourSteps(steps, options, result) {
  /** @type {number[]} */
  const times = []
  const agent = new Agent({ model: stepModel(steps), tools: [addTool(times, result)], limits: { maxIterations: steps + 1 }, ...options })
  const begun = performance.now()
  const run = await agent.run('go')
  if (run.status !== 'completed' || run.iterations !== steps + 1) throw new Error(`wrong end: ${run.status}`)
  return { ms: performance.now() - begun, times }
}

/** @param {number} steps */
async function theirSteps(steps) {
  const tools = new Map([
    ['add', { parse: (/** @type {unknown} */ input) => schema.parse(input), execute: (/** @type {any} */ { a, b }) => String(a + b) }],
  ])
  const begun = performance.now()
  await handWritten(
    (_messages, step) => (step < steps ? { calls: [{ name: 'add', args: `{"a":${step},"b":1}` }] } : { text: 'done' }),
    tools,
  )
  return performance.now() - begun
}

/** @param {number[]} numbers */
function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** How much longer the last tenth takes than the first. @param {number[]} times */
function growth(times) {
  const tenth = Math.floor(times.length / 10)
  const span = (/** @type {number} */ from, /** @type {number} */ to) => (times[to] ?? 0) - (times[from] ?? 0)
  return span(times.length - 1 - tenth, times.length - 1) / span(0, tenth)
}

/** @type {readonly (readonly [workload: string, name: string, each: number, unit: string])[]} */
const overHttp = [
  ['short', 'short runs: 3 tool steps, 50 deltas', 120, 'ms a run'],
  ['long', '1,000 steps, 1 KB results', 1000, 'ms a step'],
  ['text', '20,000 deltas of text', 20, 'µs a delta'],
  ['args', '20,000 deltas of arguments', 20, 'µs a delta'],
  ['many', '1,000 runs at once, 50 ms latency', 1000, 'ms a run'],
  ['parallel', '64 calls in one step', 40, 'ms a run'],
]

/** What else was measured, medians too. @param {import('./http/compare.mjs').Figures[]} played */
function moreOf(played) {
  const of = (/** @type {'growth' | 'peakMb' | 'kbPerRun'} */ name) => {
    const values = played.flatMap((figures) => figures[name] ?? [])
    return values.length === 0 ? undefined : median(values)
  }
  const [growth, peakMb, kbPerRun] = [of('growth'), of('peakMb'), of('kbPerRun')]
  const said = []
  if (growth !== undefined) said.push(`last/first tenth ${growth.toFixed(2)}`)
  if (peakMb !== undefined) said.push(`RSS ${peakMb.toFixed(0)} MB`)
  if (kbPerRun !== undefined) said.push(`${kbPerRun.toFixed(0)} KB a run`)
  return said.join(', ')
}

if (only.has('http')) {
  for (const [workload, name, each, unit] of overHttp) {
    const played = await compare(workload, rounds)
    const of = (/** @type {(round: (typeof played)[number]) => number} */ figure) => median(played.map(figure))
    const own = of(({ ours }) => ours.cpuMs) / each
    const ratio = of(({ ours, byHand }) => ours.cpuMs / byHand.cpuMs)
    const wall = of(({ ours, byHand }) => ours.wallMs / byHand.wallMs)
    table.push([
      `HTTP, ${name}`,
      `${own.toFixed(2)} ${unit}`,
      `${ratio.toFixed(2)} × by hand (wall ${wall.toFixed(2)} ×)`,
      moreOf(played.map(({ ours }) => ours)),
      ofRounds,
    ])
    console.error(table.at(-1)?.join('  '))
  }
}

if (only.has('streams'))
  for (const { api, cost, ratio } of await compareStreams(rounds))
    table.push([`20,000 pieces of text over HTTP, ${api}`, `${cost.toFixed(2)} µs a piece`, `${ratio.toFixed(2)} × chat`, '', ofRounds])

if (only.has('steps')) {
  // What is measured is a warm process: the compiler has settled after 20,000 to 40,000 steps, and a cold one is told apart below.
  const cold = await ourSteps(200)
  await theirSteps(200)
  for (let i = 0; i < 250; i++) await Promise.all([ourSteps(200), theirSteps(200)])
  for (const steps of [200, 4000]) {
    const ours = []
    const ratios = []
    const grown = []
    for (let i = 0; i < rounds; i++) {
      const own = await ourSteps(steps)
      const base = await theirSteps(steps)
      ours.push((own.ms * 1000) / steps)
      ratios.push(own.ms / base)
      grown.push(growth(own.times))
    }
    table.push([
      `${steps} steps, model in memory`,
      `${median(ours).toFixed(1)} µs a step`,
      `${median(ratios).toFixed(1)} × by hand`,
      `last/first tenth ${median(grown).toFixed(2)}`,
      ofRounds,
    ])
  }
  table.push(['the first 200 steps of a process', `${((cold.ms * 1000) / 200).toFixed(1)} µs a step`, '', '', 'once'])
}

if (only.has('deltas')) {
  const perDelta = []
  for (const count of [10_000, 100_000, 1_000_000]) {
    const model = {
      ...stepModel(0),
      /** @param {any} _request @param {(delta: any) => void} sink */
      async stream(_request, sink) {
        for (let i = 0; i < count; i++) sink({ type: 'text', part: 0, text: 'word ' })
        return { finishReason: /** @type {const} */ ('stop'), usage }
      },
    }
    const times = []
    for (let i = 0; i < rounds; i++) {
      const begun = performance.now()
      await new Agent({ model }).run('go')
      times.push(performance.now() - begun)
    }
    perDelta.push(`${count.toLocaleString('en')}: ${((median(times) * 1e6) / count).toFixed(0)} ns`)
  }
  table.push(['text deltas, nobody listens', perDelta.join(', '), '', '', ofRounds])
}

if (only.has('sqlite')) {
  const folder = mkdtempSync(join(tmpdir(), 'rondo-bench-'))
  const steps = 1000
  const store = sqlite(join(folder, 'bench.db'))
  const result = 'x'.repeat(1024)
  await ourSteps(50, { store }, result)
  const cpu = process.cpuUsage()
  const { ms, times } = await ourSteps(steps, { store }, result)
  const used = process.cpuUsage(cpu)
  await store.close()
  rmSync(folder, { recursive: true })
  const each = (used.user + used.system) / 1000 / steps
  table.push([
    `${steps} steps on SQLite (FULL), 1 KB results`,
    `${each.toFixed(2)} ms CPU a step`,
    `${(ms / steps).toFixed(2)} ms wall`,
    `last/first tenth ${growth(times).toFixed(2)}`,
    'once',
  ])
}

if (only.has('runs')) {
  const agent = new Agent({
    model: {
      ...stepModel(0),
      async stream(_request, sink) {
        sink({ type: 'text', part: 0, text: 'done' })
        return { finishReason: /** @type {const} */ ('stop'), usage }
      },
    },
  })
  process.removeAllListeners('warning')
  const warn = console.warn
  console.warn = () => {}
  const rss = []
  for (let i = 0; i <= 100_000; i++) {
    await agent.run('go')
    if (i % 20_000 === 0) {
      globalThis.gc?.()
      rss.push(Math.round(process.memoryUsage().rss / 2 ** 20))
    }
  }
  console.warn = warn
  table.push(['100,000 runs without a session', `RSS every 20,000 runs: ${rss.join(', ')} MB`, '', '', 'once'])
}

console.log(`Node ${process.version}, ${cpus()[0]?.model ?? 'unknown'} × ${cpus().length}, ${Math.round(totalmem() / 2 ** 30)} GB`)
const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
for (const row of table)
  console.log(
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
