// This library as a peer of a benchmark harness: exports createPeer(ctx) => async run({ stream, onDelta, maxSteps }) => final text.
// ctx: url (base URL that ends in /v1; undefined = in-process), tool.exec(args), SYSTEM, PROMPT, jsonSchemas, inproc.
import { Agent, noUsage, tool } from '../dist/index.js'
import { openaiCompatible } from '../dist/models/openai/index.js'

/**
 * A schema without a library: what Standard Schema asks for, by hand. It checks that required fields are there and of their type.
 * @param {any} json @returns {any}
 */
function schemaOf(json) {
  const fields = Object.entries(json.properties)
  return {
    '~standard': {
      version: 1,
      vendor: 'bench',
      validate(/** @type {any} */ value) {
        for (const [name, { type }] of fields)
          if (typeof value?.[name] !== type) return { issues: [{ message: `must be a ${type}`, path: [name] }] }
        return { value }
      },
      jsonSchema: { input: () => json, output: () => json },
    },
  }
}

/** A model in memory: each run has a script of its own. @param {() => () => any} inproc */
function inProcessModel(inproc) {
  const scripts = new Map()
  return {
    provider: 'bench',
    id: 'script',
    capabilities: /** @type {const} */ ({ structuredOutput: 'native', parallelCalls: true, imagesInResults: false, reasoning: false }),
    /** @param {any} _request @param {(delta: any) => void} sink @param {{ sessionId: string }} options */
    async stream(_request, sink, { sessionId }) {
      const next = scripts.get(sessionId) ?? inproc()
      scripts.set(sessionId, next)
      const answer = next()
      if (!answer.calls) {
        scripts.delete(sessionId)
        sink({ type: 'text', part: 0, text: answer.text })
        return { finishReason: /** @type {const} */ ('stop'), usage: noUsage }
      }
      for (const [part, { id, name, args }] of answer.calls.entries()) {
        sink({ type: 'call', part, providerCallId: id, toolName: name })
        sink({ type: 'call-input', part, text: args })
      }
      return { finishReason: /** @type {const} */ ('tool-calls'), usage: noUsage }
    },
  }
}

export const caps = { stream: true, nonstream: true, inproc: true }

/** @param {any} ctx */
export function createPeer(ctx) {
  const tools = ['add', 'lookup'].map((name) =>
    tool({
      name,
      description: name === 'add' ? 'Adds two numbers.' : 'Looks up.',
      effect: 'read',
      inputSchema: schemaOf(ctx.jsonSchemas[name]),
      execute: (input) => ctx.tool.exec(input),
    }),
  )
  /** @type {Map<string, Agent>} */
  const agents = new Map()
  /** @param {boolean} stream @param {number} maxSteps */
  function agentOf(stream, maxSteps) {
    const key = `${stream} ${maxSteps}`
    const known = agents.get(key)
    if (known !== undefined) return known
    const model = ctx.inproc ? inProcessModel(ctx.inproc) : openaiCompatible({ baseURL: ctx.url, apiKey: 'x', stream })('bench-model')
    const limits = { maxIterations: maxSteps + 1 }
    const agent = new Agent({ model, instructions: ctx.SYSTEM, tools, limits, maxParallel: 64, policies: { noProgress: false } })
    agents.set(key, agent)
    return agent
  }
  /** @param {{ stream: boolean, onDelta?: (text: string) => void, maxSteps: number }} options */
  return async function run({ stream, onDelta, maxSteps }) {
    const agent = agentOf(stream, maxSteps)
    if (!stream || onDelta === undefined) return textOf(await agent.run(ctx.PROMPT))
    const started = agent.stream(ctx.PROMPT)
    for await (const text of started.textStream) onDelta(text)
    return textOf(await started.result)
  }
}

/** @param {any} result */
function textOf(result) {
  if (result.status !== 'completed') throw new Error(`${result.status}: ${result.reason} ${result.error?.message ?? ''}`)
  return result.text
}
