import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const out = join(root, '.cache', 'examples')

/** What each example prints, as a reader would check it. */
const printed: { readonly [example: string]: RegExp[] } = {
  'hello.ts': [/^find_files ok$/m, /3 largest files/, /^completed$/m],
  'tools.ts': [/^It is 21 °C in Paris\.$/m, /^21$/m],
  'approval.ts': [/^awaiting_approval \[/m, /risk: 'high'/, /^completed The invoice is paid\. \[/m, /paid 4200 cents to ACME \(ann\)/],
}

const examples = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.ts'))

/** Compiles files as a user's project would, against the built package. */
function compile(files: readonly string[], ...more: readonly string[]): void {
  const flags = ['--ignoreConfig', '--rootDir', '.', '--module', 'nodenext', '--target', 'es2022', '--skipLibCheck', '--strict', ...more]
  const libraries = ['--lib', 'es2023,esnext.disposable', '--types', 'node']
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', ...files, ...flags, ...libraries], { cwd: root, encoding: 'utf8' })
}

beforeAll(() => {
  if (!existsSync(join(root, 'dist', 'index.js'))) throw new Error('dist is missing: run "npm run build" first (npm test does).')
  mkdirSync(out, { recursive: true })
  compile(
    examples.map((name) => join('examples', name)),
    '--outDir',
    '.cache',
  )
})

test('README: every code sample is an example file, word for word', () => {
  const blocks = [...readme.matchAll(/(?:<!-- examples\/([\w-]+\.ts) -->\n)?```ts\n([\s\S]*?)```/g)]
  expect(blocks.map(([, name]) => name).sort()).toEqual([...examples].sort())
  for (const [, name = '', code] of blocks) expect(code).toBe(readFileSync(join(root, 'examples', name), 'utf8'))
})

test.each(examples)('README: examples/%s runs against the built package and prints what it should', (name) => {
  // Compiled inside the package, so that `rondo` is the package itself, by its exports.
  const text = execFileSync(process.execPath, [join(out, name.replace(/\.ts$/, '.js'))], { cwd: root, encoding: 'utf8', timeout: 30_000 })
  for (const pattern of printed[name] ?? [/./]) expect(text).toMatch(pattern)
})

test('docs: every code sample compiles', () => {
  const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'))
  const folder = join('.cache', 'samples')
  rmSync(join(root, folder), { recursive: true, force: true })
  mkdirSync(join(root, folder), { recursive: true })
  const samples = docs.flatMap((name) =>
    [...readFileSync(join(root, 'docs', name), 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ''], index) => {
      const file = join(folder, `${name.replace(/\.md$/, '')}-${index}.ts`)
      writeFileSync(join(root, file), code)
      return file
    }),
  )
  expect(samples.length).toBeGreaterThan(0)
  compile(samples, '--noEmit')
})

test('README: the npm scripts and documents that it names exist', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const [, script = ''] of readme.matchAll(/npm run ([\w:]+)/g)) expect(Object.keys(scripts)).toContain(script)
  for (const [, path = ''] of readme.matchAll(/`((?:docs\/[\w./-]+|[A-Z]+\.md))`/g)) expect(existsSync(join(root, path)), path).toBe(true)
})

test('docs/errors.md names every error code', () => {
  const source = readFileSync(join(root, 'src/core/error.ts'), 'utf8')
  const union = /export type ErrorCode =([\s\S]*?)\n\n/.exec(source)?.[1] ?? ''
  const codes = [...union.matchAll(/'(\w+)'/g)].map(([, code]) => code)
  const documented = [...readFileSync(join(root, 'docs/errors.md'), 'utf8').matchAll(/`(\w+)`/g)].map(([, word]) => word)
  expect(codes.length).toBeGreaterThan(30)
  expect(codes.filter((code) => !documented.includes(code))).toEqual([])
})
