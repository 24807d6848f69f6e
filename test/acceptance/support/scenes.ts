import { tool } from 'rondo'
import { z } from 'zod'
import type { Scene, Stage } from './modes.ts'

const numbers = z.object({ a: z.number(), b: z.number() })
const add = tool({ name: 'add', description: 'Adds.', effect: 'read', inputSchema: numbers, execute: ({ a, b }) => a + b })
const city = z.object({ city: z.string() })

function adding(a: number, b: number) {
  return { name: 'add', input: { a, b } }
}

/** Takes as many virtual ms as it is told, so that calls of one batch end in another order than they began. */
export function sleep({ clock }: Stage) {
  const inputSchema = z.object({ ms: z.number() })
  const execute = ({ ms }: { ms: number }) => new Promise<string>((resolve) => clock.timer(ms, () => resolve(`${ms} ms`)))
  return tool({ name: 'sleep', description: 'Sleeps.', effect: 'read', inputSchema, execute })
}

/** Runs until it is aborted; its user aborts it as soon as it runs. */
function wait({ stop }: Stage) {
  return tool({
    name: 'wait',
    description: 'Waits.',
    effect: 'read',
    inputSchema: z.object({}),
    execute: (_, call) =>
      new Promise<never>((_resolve, reject) => {
        call.signal.addEventListener('abort', () => reject(call.signal.reason), { once: true })
        stop('That is enough.')
      }),
  })
}

function failing() {
  const execute = ({ city: name }: { city: string }): string => {
    throw new Error(`There is no city named ${name}.`)
  }
  return tool({ name: 'weather', description: 'Weather.', effect: 'read', inputSchema: city, execute })
}

/** The golden traces of checklist 4.2, as far as they are about this part of the engine. */
export const scenes = {
  noTool: { input: 'Hi', script: ['Hello!'] },
  oneTool: { input: '1 and 2?', script: [{ text: 'Let me see.', calls: [{ ...adding(1, 2), id: 'p1' }] }, 'It is 3.'], tools: () => [add] },
  serial: {
    input: '1, 2, 3, 4?',
    script: [{ calls: [adding(1, 2), adding(3, 4)] }, { calls: [adding(3, 7)] }, 'It is 10.'],
    tools: () => [add],
    options: { maxParallel: 1 },
  },
  parallel: {
    input: 'Sleep',
    script: [{ calls: [30, 10, 20].map((ms) => ({ name: 'sleep', input: { ms } })) }, 'Slept.'],
    tools: (stage) => [sleep(stage)],
  },
  failing: {
    input: 'Weather?',
    script: [{ calls: [{ name: 'weather', input: { city: 'Ys' } }] }, 'I do not know.'],
    tools: () => [failing()],
  },
  aborted: { input: 'Wait', script: [{ calls: [{ name: 'wait', input: {} }] }], tools: (stage) => [wait(stage)] },
} as const satisfies { readonly [name: string]: Scene }
