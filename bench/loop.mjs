// A loop as one writes it by hand, with the same work: a scripted model in memory, arguments parsed and validated, the tool run, the
// result kept in a list of messages. It streams nothing, stores nothing, survives nothing: the floor that ratios refer to.

/**
 * @param {(messages: object[], step: number) => { calls?: { name: string, args: string }[], text?: string }} model
 * @param {Map<string, { parse(input: unknown): any, execute(input: any): unknown }>} tools
 */
export async function handWritten(model, tools) {
  /** @type {any[]} */
  const messages = [{ role: 'user', content: 'go' }]
  for (let step = 0; ; step++) {
    const reply = await model(messages, step)
    messages.push({ role: 'assistant', content: reply.text ?? '', calls: reply.calls })
    if (reply.calls === undefined) return { text: reply.text, messages }
    for (const call of reply.calls) {
      const tool = tools.get(call.name)
      if (tool === undefined) throw new Error(`no tool ${call.name}`)
      const result = await tool.execute(tool.parse(JSON.parse(call.args)))
      messages.push({ role: 'tool', content: typeof result === 'string' ? result : JSON.stringify(result) })
    }
  }
}
