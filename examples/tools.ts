import { Agent, tool } from 'rondo'
import { scripted } from 'rondo/testing'
import { z } from 'zod'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather of a city',
  inputSchema: z.object({ city: z.string() }),
  effect: 'read', // run again freely after a crash; the default, 'unsafe', runs at most once
  execute: async ({ city }) => ({ city, celsius: 21 }),
})

// A model that says what a test wants it to say.
const model = scripted([{ calls: [{ name: 'get_weather', input: { city: 'Paris' } }] }, 'It is 21 °C in Paris.'])
const agent = new Agent({ model, tools: [weather], instructions: 'Be brief.' })

const result = await agent.run('What is the weather in Paris?')
if (result.status === 'completed') console.log(result.output)
for (const call of result.calls) if (!call.dynamic && call.outcome === 'ok') console.log(call.output.celsius)
