// The loop that one writes by hand over `fetch`: messages in an array, the whole of it as JSON in each request, the stream read line by
// line. It retries nothing, checks nothing, stores nothing. What the ratios refer to.

/** @param {any} ctx @returns {(options: { onDelta?: (text: string) => void, maxSteps: number }) => Promise<string>} */
export function createPeer(ctx) {
  /** @type {{ [name: string]: (input: any) => unknown }} */
  const tools = { add: ctx.tool.exec, lookup: ctx.tool.exec }
  const described = Object.entries(ctx.jsonSchemas).map(([name, parameters]) => ({
    type: 'function',
    function: { name, description: name, parameters },
  }))

  /** @param {object[]} messages @param {((text: string) => void) | undefined} onDelta */
  async function ask(messages, onDelta) {
    const response = await fetch(`${ctx.url}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer x' },
      body: JSON.stringify({ model: 'mock', messages, tools: described, stream: true, stream_options: { include_usage: true } }),
    })
    if (!response.ok || response.body === null) throw new Error(`status ${response.status}`)
    /** @type {any} */
    const message = { role: 'assistant', content: '' }
    for await (const data of eventsOf(response.body)) {
      const delta = JSON.parse(data).choices[0]?.delta
      if (delta?.content) {
        message.content += delta.content
        onDelta?.(delta.content)
      }
      for (const piece of delta?.tool_calls ?? []) {
        message.tool_calls ??= []
        message.tool_calls[piece.index] ??= { id: piece.id, type: 'function', function: { name: '', arguments: '' } }
        const call = message.tool_calls[piece.index]
        call.function.name += piece.function.name ?? ''
        call.function.arguments += piece.function.arguments ?? ''
      }
    }
    return message
  }

  return async ({ onDelta, maxSteps }) => {
    /** @type {any[]} */
    const messages = [
      { role: 'system', content: ctx.SYSTEM },
      { role: 'user', content: ctx.PROMPT },
    ]
    for (let step = 0; step <= maxSteps; step++) {
      const message = await ask(messages, onDelta)
      messages.push(message)
      if (message.tool_calls === undefined) return message.content
      const results = await Promise.all(
        message.tool_calls.map(async (/** @type {any} */ call) => tools[call.function.name]?.(JSON.parse(call.function.arguments))),
      )
      for (const [index, content] of results.entries())
        messages.push({ role: 'tool', tool_call_id: message.tool_calls[index].id, content: String(content) })
    }
    throw new Error('too many steps')
  }
}

/** The data of each event. @param {ReadableStream<Uint8Array>} body */
async function* eventsOf(body) {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('data: ') && line !== 'data: [DONE]') yield line.slice(6)
  }
}
