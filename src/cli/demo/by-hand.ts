/** An answer of the Chat Completions API, as far as a loop looks at it. */
interface Answer {
  readonly choices: readonly { readonly message: AssistantMessage }[]
}

interface AssistantMessage {
  readonly role: 'assistant'
  readonly content: string | null
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } }[]
}

/**
 * The loop that one writes by hand: messages in an array, the whole of it as JSON in each request, tools run as they are asked for. It checks,
 * retries and keeps nothing.
 */
export async function byHand(
  task: string,
  tools: { readonly [name: string]: (input: { readonly page: number }) => string },
  described: readonly object[],
  send: typeof fetch,
): Promise<string> {
  const messages: object[] = [{ role: 'user', content: task }]
  for (;;) {
    const response = await send('http://model.invalid/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer none' },
      body: JSON.stringify({ model: 'script', messages, tools: described }),
    })
    const { choices }: Answer = JSON.parse(await response.text())
    const message = choices[0]?.message
    if (message === undefined) throw new Error('an answer without a message')
    messages.push(message)
    if (message.tool_calls === undefined) return message.content ?? ''
    for (const { id, function: called } of message.tool_calls) {
      const content = tools[called.name]?.(JSON.parse(called.arguments)) ?? ''
      messages.push({ role: 'tool', tool_call_id: id, content })
    }
  }
}
