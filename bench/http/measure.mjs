// Measures one client at one workload, in a process of its own: node bench/http/measure.mjs <module> <workload> <port>. Prints JSON.
// A run whose answer, tool calls or tool results are not all as they should be is an error and no figure.
import { readFileSync } from 'node:fs'
import { answerOf, inputOf, scenarioOf } from './mock.mjs'

const [, , module = '', workload = '', port = ''] = process.argv

const jsonSchemas = {
  add: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'], additionalProperties: false },
  lookup: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'], additionalProperties: false },
}

/** @param {string} path @param {string} result */
async function client(path, result) {
  const { createPeer } = await import(module)
  const scenario = scenarioOf(path)
  const counts = { calls: 0, inputs: 0 }
  /** @type {(() => void)[]} */
  const onCall = []
  const tool = {
    exec: (/** @type {any} */ input) => {
      counts.calls++
      counts.inputs += JSON.stringify(input).length
      for (const tell of onCall) tell()
      return result
    },
  }
  const url = `http://127.0.0.1:${port}/${path}/v1`
  const run = createPeer({ url, tool, jsonSchemas, SYSTEM: 'You add numbers.', PROMPT: 'Add until you are done.' })
  let inputs = 0
  for (let step = 0; step < scenario.steps; step++)
    for (let index = 0; index < scenario.calls; index++) inputs += JSON.stringify(inputOf(scenario, step, index)).length
  const results = scenario.steps * scenario.calls
  const wanted = answerOf(scenario, results).join('')
  /** @param {number} count how many runs, one after the other or all together @param {boolean} [together] */
  async function play(count, together = false) {
    const before = { ...counts }
    let streamed = 0
    const once = async () => {
      const text = await run({
        stream: true,
        maxSteps: scenario.steps,
        onDelta: (/** @type {string} */ delta) => (streamed += delta.length),
      })
      if (text !== wanted) throw new Error(`wrong answer: ${text.slice(0, 80)}`)
    }
    if (together) await Promise.all(Array.from({ length: count }, once))
    else for (let i = 0; i < count; i++) await once()
    if (counts.calls - before.calls !== count * results) throw new Error(`${counts.calls - before.calls} calls`)
    if (counts.inputs - before.inputs !== count * inputs) throw new Error('wrong arguments')
    if (streamed !== count * wanted.length) throw new Error(`${streamed} characters were streamed`)
  }
  return { play, onCall }
}

function cpuMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** What `work` takes. @param {() => Promise<void>} work */
async function timed(work) {
  globalThis.gc?.()
  const cpu = cpuMs()
  const wall = performance.now()
  await work()
  return { cpuMs: cpuMs() - cpu, wallMs: performance.now() - wall }
}

/** The most memory that the process has ever had. */
function peakMb() {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024
  } catch {
    return process.memoryUsage().rss / 2 ** 20
  }
}

/** @type {{ [name: string]: () => Promise<object> }} */
const workloads = {
  async short() {
    const { play } = await client('steps=3,deltas=50', 'r'.repeat(16))
    await play(60)
    return timed(() => play(120))
  },
  async long() {
    const warm = await client('steps=30,deltas=5', 'r'.repeat(1024))
    await warm.play(2)
    const { play, onCall } = await client('steps=1000,deltas=5', 'r'.repeat(1024))
    /** @type {number[]} */
    const marks = []
    onCall.push(() => marks.push(cpuMs()))
    const taken = await timed(() => play(1))
    const span = (/** @type {number} */ from, /** @type {number} */ to) => (marks[to] ?? 0) - (marks[from] ?? 0)
    return { ...taken, growth: span(899, 999) / span(0, 100), peakMb: peakMb() }
  },
  async text() {
    const { play } = await client('steps=0,deltas=20000', '')
    await play(1)
    return timed(() => play(1))
  },
  async args() {
    const warm = await client('steps=1,deltas=1,pieces=1000,fill=4', 'r')
    await warm.play(1)
    const { play } = await client('steps=1,deltas=1,pieces=20000,fill=4', 'r')
    return timed(() => play(1))
  },
  async many() {
    const warm = await client('steps=3,deltas=20', 'r')
    await warm.play(30, true)
    const { play } = await client('steps=3,deltas=20,wait=50', 'r')
    const before = process.memoryUsage().rss
    const taken = await timed(() => play(1000, true))
    return { ...taken, kbPerRun: (peakMb() * 2 ** 20 - before) / 1024 / 1000 }
  },
  async parallel() {
    const { play } = await client('steps=1,calls=64,deltas=5', 'r')
    await play(15)
    return timed(() => play(40))
  },
  /** What each step takes, for the plot. */
  async steps() {
    const warm = await client('steps=200,deltas=5', 'r'.repeat(16))
    await warm.play(2)
    const { play, onCall } = await client('steps=4000,deltas=5', 'r'.repeat(16))
    /** @type {number[]} */
    const marks = []
    onCall.push(() => marks.push(cpuMs()))
    await play(1)
    return { marks }
  },
}

console.warn = () => {}
const measure = workloads[workload]
if (measure === undefined) throw new Error(`no workload ${workload}: ${Object.keys(workloads).join(', ')}`)
console.log(JSON.stringify(await measure()))
process.exit()
