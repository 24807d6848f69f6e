// After tsc: makes few files of many. Node takes about a millisecond for each module of a package that it loads, so that 125 of them would cost
// every process more than all else it does before its first request. What can be imported keeps its place; the rest goes into chunks.
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const { exports, imports, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Every file of dist that package.json names. @param {unknown} value @returns {string[]} */
function named(value) {
  if (typeof value === 'string') return /^(\.\/)?dist\/.*\.js$/.test(value) ? [value.replace(/^\.\//, '')] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(named) : []
}

const entries = [...new Set(named([exports, imports, bin]))]
const bundle = await rolldown({
  input: Object.fromEntries(entries.map((path) => [relative('dist', path).replace(/\.js$/, ''), join(root, path)])),
  external: (id) => !id.startsWith('.') && !id.startsWith('/'),
  treeshake: { moduleSideEffects: true },
})
const made = mkdtempSync(join(tmpdir(), 'rondo-bundle-'))
try {
  await bundle.write({
    dir: made,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[hash].js',
    minify: false,
    hashCharacters: 'hex',
  })
  for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) if (name.endsWith('.js')) rmSync(join(dist, name))
  cpSync(made, dist, { recursive: true })
} finally {
  rmSync(made, { recursive: true })
}
for (const path of entries) if (!existsSync(join(root, path))) throw new Error(`${path} was not made`)
