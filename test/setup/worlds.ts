import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import { afterAll, afterEach, beforeEach, expect } from 'vitest'
import { replaceDefaultWorld, systemWorld } from '../../src/engine/world.ts'
import { alwaysSuspend, checked, takeBroken, takeCounts } from './checks.ts'
import { exempt } from './exempt.ts'

// Runs before each test file. Every commit of an agent that was given no world is checked (`checks.ts`); in always-suspend mode it is torn
// down too. Files share a process, so the world is put back after each.
replaceDefaultWorld(checked(systemWorld()))

beforeEach((context) => {
  if (!alwaysSuspend) return
  const path = relative(process.cwd(), context.task.file.filepath)
  const found = exempt.find(({ path: own, test }) => own === path && test === fullTitle(context.task))
  if (found !== undefined) context.skip(found.reason)
})

function fullTitle(task: {
  readonly name: string
  readonly suite?: { readonly name: string; readonly suite?: unknown } | undefined
}): string {
  const names = [task.name]
  for (let suite: unknown = task.suite; isNamed(suite); suite = suite.suite) names.unshift(suite.name)
  return names.join(' > ')
}

function isNamed(value: unknown): value is { readonly name: string; readonly suite?: unknown } {
  return typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string'
}

afterEach(() => {
  expect(takeBroken(), 'after every commit the state is the fold of the journal').toEqual([])
})

afterAll(() => {
  replaceDefaultWorld(undefined)
  const file = process.env['RONDO_SUSPEND_COUNTS']
  const { reloads, commits } = takeCounts()
  if (file !== undefined) appendFileSync(file, `${reloads} ${commits}\n`)
  expect(takeBroken(), 'after every commit the state is the fold of the journal').toEqual([])
})
