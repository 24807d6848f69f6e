// A Chat Completions server for measuring clients: its answers are made before they are asked for, so that it takes little of the machine.
// What it says stands in the path: POST /steps=3,deltas=50/v1/chat/completions. Run as a process of its own; tells its parent the port.
//
//   steps   tool steps before the answer      calls   calls in a step           pieces   pieces of the arguments of a call
//   deltas  pieces of the answer              wait    ms before it answers      fill     characters in each piece of the arguments
//
// Which step a request is at, the last call id in its body says. The answer begins with the number of tool results that the request held,
// so that a client can show that it sent them all.
import { createServer } from 'node:http'

/** @typedef {{ steps: number, calls: number, deltas: number, pieces: number, fill: number, wait: number }} Scenario */

/** @param {string} text @returns {Scenario} */
export function scenarioOf(text) {
  const scenario = { steps: 3, calls: 1, deltas: 50, pieces: 3, fill: 0, wait: 0 }
  for (const pair of text.split(',')) {
    const [name = '', value] = pair.split('=')
    if (!(name in scenario)) throw new Error(`no such thing in a scenario: ${name}`)
    scenario[/** @type {keyof Scenario} */ (name)] = Number(value)
  }
  return scenario
}

/** The arguments of a call. @param {Scenario} scenario @param {number} step @param {number} index */
export function inputOf({ pieces, fill }, step, index) {
  return fill > 0 ? { q: 'word '.repeat(Math.ceil((pieces * fill) / 5)).slice(0, pieces * fill) } : { a: step, b: index }
}

/** The answer to a request with so many tool results. @param {Scenario} scenario @param {number} results */
export function answerOf({ deltas }, results) {
  return [`${results} results.`, ...Array.from({ length: deltas - 1 }, (_, index) => ` word${index % 10}`)]
}

/** @param {object} delta @param {string | null} finish */
function event(delta, finish = null) {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }]
  return `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_790_000_000, model: 'mock', choices })}\n\n`
}

const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
const tail = `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_790_000_000, model: 'mock', choices: [], usage })}\n\ndata: [DONE]\n\n`

/** @param {Scenario} scenario @param {number} step @param {number} results */
function bodyOf(scenario, step, results) {
  const events = [event({ role: 'assistant', content: '' })]
  if (step === scenario.steps) {
    for (const content of answerOf(scenario, results)) events.push(event({ content }))
    events.push(event({}, 'stop'))
  } else {
    for (let index = 0; index < scenario.calls; index++) {
      const name = scenario.fill > 0 ? 'lookup' : 'add'
      events.push(event({ tool_calls: [{ index, id: `call_${step}_${index}_`, type: 'function', function: { name, arguments: '' } }] }))
      const input = JSON.stringify(inputOf(scenario, step, index))
      const size = Math.max(1, Math.ceil(input.length / scenario.pieces))
      for (let at = 0; at < input.length; at += size)
        events.push(event({ tool_calls: [{ index, function: { arguments: input.slice(at, at + size) } }] }))
    }
    events.push(event({}, 'tool_calls'))
  }
  return Buffer.from(events.join('') + tail)
}

/** Each body once: of a long run those of the last step only differ in their number. @type {Map<string, Buffer>} */
const bodies = new Map()

/** @param {string} path @param {Buffer} request */
function answer(path, request) {
  const scenario = scenarioOf(path)
  const last = request.lastIndexOf('"call_')
  const step = last < 0 ? 0 : Number.parseInt(request.toString('latin1', last + 6, last + 20), 10) + 1
  const key = `${path} ${step}`
  if (step < scenario.steps) {
    const known = bodies.get(key) ?? bodyOf(scenario, step, 0)
    bodies.set(key, known)
    return known
  }
  let results = 0
  for (let at = request.indexOf('"role":"tool"'); at >= 0; at = request.indexOf('"role":"tool"', at + 1)) results++
  const known = bodies.get(`${key} ${results}`) ?? bodyOf(scenario, step, results)
  bodies.set(`${key} ${results}`, known)
  return known
}

/** @param {string | undefined} url */
function pathOf(url) {
  return decodeURIComponent((url ?? '').split('/')[1] ?? '')
}

if (process.send !== undefined) {
  const server = createServer((request, response) => {
    /** @type {Buffer[]} */
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const path = pathOf(request.url)
      const body = answer(path, Buffer.concat(chunks))
      const send = () => {
        response.writeHead(200, { 'content-type': 'text/event-stream', 'content-length': body.length })
        response.end(body)
      }
      const { wait } = scenarioOf(path)
      if (wait > 0) setTimeout(send, wait)
      else send()
    })
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    if (typeof address === 'object' && address !== null) process.send?.(address.port)
  })
  process.on('disconnect', () => process.exit())
}
