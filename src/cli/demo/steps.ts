import { Agent, tool } from '../../index.ts'
import { jsonSchema } from '../../json-schema/index.ts'
import { openaiChat } from '../../models/openai/index.ts'
import { padEnd, padStart } from '../text.ts'
import { type Act, blank, type Stage, say, sayLines, type Verdict } from './act.ts'
import { byHand } from './by-hand.ts'

const steps = 2_000
const tenth = steps / 10

/** Act 5: many steps of one run, beside a loop that one writes by hand. */
export const manySteps: Act = {
  title: '2,000 steps, beside a loop by hand',
  label: 'Replies scripted, no language model, no network; loops and clock are real.',
  needsFile: false,
  async play(stage) {
    for (const sentence of [
      'A step: send the whole history as a Chat Completions request, read the answer, run one tool with a result of 100 bytes.',
      'The loop by hand has its messages in an array and makes JSON of them for each request. Rondo, by rondo/openai, keeps a journal (in memory) besides.',
      'Both send to one function in place of fetch, which reads the request as bytes. Each has a process of its own.',
    ])
      say(stage, sentence)
    blank(stage)
    const rondo = await measured(stage, 'rondo')
    const hand = await measured(stage, 'by-hand')
    const rows = [
      ['CPU a step', 'first 200', 'last 200', 'last / first'],
      ['Rondo', ...figures(rondo)],
      ['loop by hand', ...figures(hand)],
    ]
    for (const [name = '', ...columns] of rows)
      sayLines(stage, `${padEnd(name, 12)}${columns.map((text) => padStart(text, 14)).join('')}\n`)
    return verdict(rondo, hand)
  },
}

/** µs of CPU a step, the mean over a tenth of the steps. */
interface Measured {
  readonly first: number
  readonly last: number
}

async function measured({ crew }: Stage, loop: Loop): Promise<Measured> {
  const { lines } = await crew.run('steps', loop)
  const [first, last] = (lines[0] ?? '').split(' ').map(Number)
  if (first === undefined || last === undefined || !(first > 0 && last > 0)) throw new Error(`no figures of ${loop}: ${lines.join(' ')}`)
  return { first, last }
}

function figures({ first, last }: Measured): readonly string[] {
  return [`${micros(first)} µs`, `${micros(last)} µs`, ratio({ first, last })]
}

function micros(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

function ratio({ first, last }: Measured): string {
  return `${(last / first).toFixed(1)} ×`
}

/** The first steps of a process are compiled on the way, and no two runs are alike; a cost that grows with the history is far beyond this. */
const maxGrowth = 3

function verdict(rondo: Measured, hand: Measured): Verdict {
  const shown = rondo.last / rondo.first <= maxGrowth && rondo.last / rondo.first < hand.last / hand.first
  const text = `The last 200 steps cost ${ratio(rondo)} the first 200 in Rondo, ${ratio(hand)} by hand (claimed: at most ${maxGrowth} ×, and less than by hand).`
  return { shown, text }
}

type Loop = 'rondo' | 'by-hand'

/** The process that takes the steps; resolves with its figures. */
export async function takeSteps(loop: string): Promise<string> {
  const server = scriptedServer()
  if (loop === 'by-hand') await byHand(task, { look: lookAt }, [described], server.send)
  else await withRondo(server.send)
  const used = server.cpuAtRequests()
  if (used.length !== steps + 1) throw new Error(`${used.length - 1} steps instead of ${steps}`)
  return [perStep(used.slice(0, tenth + 1)), perStep(used.slice(-tenth - 1))].join(' ')
}

async function withRondo(send: typeof fetch): Promise<void> {
  const { name, description, parameters } = described.function
  const look = tool({ name, description, inputSchema: jsonSchema<{ page: number }>(parameters), effect: 'read', execute: lookAt })
  const model = openaiChat('script', { baseURL: 'http://model.invalid/v1', apiKey: 'none', fetch: send, stream: false })
  const limits = { maxIterations: steps + 1 }
  const { status } = await new Agent({ name: 'steps', model, tools: [look], limits }).run(task, { session: 'steps' })
  if (status !== 'completed') throw new Error(`the run is ${status}`)
}

const task = 'Look at every page.'
const described = {
  type: 'function',
  function: {
    name: 'look',
    description: 'Looks at a page',
    parameters: { type: 'object', properties: { page: { type: 'integer' } }, required: ['page'] },
  },
} as const

/** 100 bytes. */
function lookAt({ page }: { readonly page: number }): string {
  return `Page ${page}: `.padEnd(100, 'lorem ipsum ')
}

/** In place of fetch: reads each request, and asks for the next page; after the last one it says so. */
function scriptedServer(): { readonly send: typeof fetch; cpuAtRequests(): readonly number[] } {
  const used: number[] = []
  const encoder = new TextEncoder()
  const send: typeof fetch = async (_url, init) => {
    const { user, system } = process.cpuUsage()
    const page = used.push(user + system)
    const { body } = init ?? {}
    const bytes = typeof body === 'string' ? encoder.encode(body) : body
    if (!(bytes instanceof Uint8Array) || bytes.length < page * 100) throw new Error('a request without its history')
    return Response.json({ choices: [choiceFor(page)], usage: { prompt_tokens: 1, completion_tokens: 1 } })
  }
  return { send, cpuAtRequests: () => used }
}

function choiceFor(page: number): object {
  if (page > steps) return { finish_reason: 'stop', message: { role: 'assistant', content: 'I have seen them all.' } }
  const call = { id: `call_${page}`, type: 'function', function: { name: 'look', arguments: JSON.stringify({ page }) } }
  return { finish_reason: 'tool_calls', message: { role: 'assistant', content: null, tool_calls: [call] } }
}

function perStep(used: readonly number[]): number {
  return ((used.at(-1) ?? 0) - (used[0] ?? 0)) / (used.length - 1)
}
