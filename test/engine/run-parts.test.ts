import { describe, expect, test } from 'vitest'
import type { WaitingRun } from '../../src/core/state.ts'
import type { RunPorts } from '../../src/engine/ports.ts'
import { RunParts } from '../../src/engine/run-parts.ts'

/** Parts that are only told apart. */
function ports(name: string): RunPorts {
  return { context: name, tools: new Map(), own: undefined } as unknown as RunPorts
}

const run = { runId: 'r1' } as WaitingRun

describe('decision 0011: what drives a run', () => {
  test.each<[string, (parts: RunParts) => void]>([
    ['a run is asked for here', (parts) => parts.bring('r1', ports('brought'))],
    ['another agent speaks to the session', (parts) => parts.offer(() => ports('offered'))],
    ['an earlier driver left it', (parts) => parts.takeUp(new Map([['r1', ports('left')]]))],
  ])('is asked for again once %s: the version says so', (_name, change) => {
    const parts = new RunParts(() => ports('plain'))
    expect(parts.of(run).context).toBe('plain')
    const before = parts.version
    parts.of(run)
    parts.has(run)
    expect(parts.version).toBe(before)
    change(parts)
    expect(parts.version).not.toBe(before)
    expect(parts.of(run).context).not.toBe('plain')
  })

  test('is the agent alone again when the run is forgotten, and the version says so', () => {
    const parts = new RunParts(() => ports('plain'))
    parts.bring('r1', ports('brought'))
    const before = parts.version
    parts.forget('r1')
    expect(parts.version).not.toBe(before)
    expect(parts.of(run).context).toBe('plain')
  })
})
