import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = new URL('../..', import.meta.url)
const read = (name: string) => JSON.parse(readFileSync(new URL(name, root), 'utf8'))
const targets = Object.entries<{ types: string; default: string }>(read('package.json').exports).filter(
  ([, target]) => typeof target === 'object',
)

test('exports: types and code of a sub-path lie side by side', () => {
  for (const [, target] of targets) expect(target.types).toBe(target.default.replace(/\.js$/, '.d.ts'))
})

const variants = Object.entries<{ node: string; default: string }>(read('package.json').imports)

test('exports: the type checker reads the source of every sub-path, and of the Node variant of what has variants', () => {
  const sources = [
    ...targets.map(([subPath, target]) => [subPath.replace('.', 'rondo'), target.default] as const),
    ...variants.map(([specifier, target]) => [specifier, target.node] as const),
  ].map(([specifier, target]) => [specifier, [target.replace('./dist/', './src/').replace(/\.js$/, '.ts')]])
  expect(read('tsconfig.json').compilerOptions.paths).toEqual(Object.fromEntries(sources))
})

test.each(targets)('exports: %s has a source file', (_subPath, target) => {
  const source = target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')
  expect(existsSync(fileURLToPath(new URL(source, root)))).toBe(true)
})
