import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Mutant {
  readonly id: string
  readonly file: string
  readonly find: string
  readonly replace: string
}

const root = new URL('../../', import.meta.url)

test('each mutant finds its one place and changes it', () => {
  const mutants: readonly Mutant[] = JSON.parse(readFileSync(new URL('scripts/mutants.json', root), 'utf8'))
  const lost = mutants.filter(
    ({ file, find, replace }) => find === replace || readFileSync(new URL(file, root), 'utf8').split(find).length !== 2,
  )
  expect(lost.map(({ id }) => id)).toEqual([])
  expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length)
})
