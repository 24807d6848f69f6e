import { Agent } from 'rondo'
import { offline } from 'rondo/offline'
import { readTools } from 'rondo/tools'

const agent = new Agent({ model: offline(), tools: readTools({ root: '.' }) })

const run = agent.stream('What are the three largest files?')
for await (const event of run) {
  if (event.type === 'text.delta') process.stdout.write(event.text)
  if (event.type === 'call.settled') console.log(`[${event.toolName}: ${event.outcome}, ${event.durationMs} ms]`)
}
const { status, reason, iterations } = await run.result
console.log(`\n${status} (${reason}) after ${iterations} iterations`)
