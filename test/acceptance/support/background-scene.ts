import { type ModelRequest, type Tool, tool } from 'rondo'
import { noInput } from '../kit.ts'
import type { Scene, Stage } from './modes.ts'

function tools({ clock, did }: Stage): readonly Tool[] {
  const soon = (ms: number, value: string) => new Promise((resolve) => clock.timer(ms, () => resolve(value)))
  const back = tool({
    name: 'back',
    description: 'Renders.',
    effect: 'idempotent',
    background: true,
    inputSchema: noInput,
    execute: () => soon(40, 'a film'),
  })
  const pays = tool({
    name: 'backpayr',
    description: 'Pays, and knows what was paid.',
    background: true,
    inputSchema: noInput,
    execute: () => soon(20, 'paid'),
    reconcile: (_, { idempotencyKey }) => (did(idempotencyKey) ? { settled: 'paid' } : 'not-started'),
  })
  return [back, pays]
}

/** A model that says whether the results of both calls are there. */
function report({ messages }: ModelRequest): string {
  const text = JSON.stringify([...messages])
  return text.includes('"a film"') && text.includes('"paid"') ? 'Paid and done.' : 'It is under way.'
}

/** Two calls that go on in the background, one of which pays, while the model answers. */
export const backgroundScene: Scene = {
  input: 'Render it, and pay',
  script: [{ text: 'I begin.', calls: ['back', 'backpayr'].map((name) => ({ name, input: {} })) }, report, report, report],
  tools,
}
