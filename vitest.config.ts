import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { exempt } from './test/setup/exempt.ts'

const manifest = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as {
  exports: Record<string, { default?: string }>
  imports: Record<string, { node: string }>
}

/** `rondo/…` and `#…` in a test, an example or the source mean the source under test, not what the last build left in dist. */
const alias = [
  ...Object.entries(manifest.exports).map(([subPath, target]) => [subPath.replace('.', 'rondo'), target.default] as const),
  ...Object.entries(manifest.imports).map(([specifier, target]) => [specifier, target.node] as const),
].flatMap(([specifier, target]) => {
  if (target === undefined) return []
  const source = target.replace('./dist/', './src/').replace(/\.js$/, '.ts')
  return [{ find: new RegExp(`^${specifier}$`), replacement: new URL(source, import.meta.url).pathname }]
})

/** `--mode suspend`: the same suite, with every engine torn down and rebuilt from its journal whenever nothing is started. */
const exemptFiles = exempt.filter(({ test }) => test === undefined).map(({ path }) => (path.endsWith('.ts') ? path : `${path}/**`))

const suspended = (mode: string) => mode === 'suspend' || process.env['RONDO_ALWAYS_SUSPEND'] === '1'

export default defineConfig(({ mode }) => ({
  resolve: { alias },
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/setup/worlds.ts'],
    globalSetup: ['test/setup/temporary.ts', 'test/setup/suspend-report.ts'],
    // Files that tests compare what they see with become what they saw.
    ...(mode === 'accept' ? { env: { RONDO_ACCEPT: '1' } } : {}),
    ...(suspended(mode) ? { env: { RONDO_ALWAYS_SUSPEND: '1' }, exclude: exemptFiles } : {}),
    watch: false,
    reporters: ['default'],
    // Test files share a process and its loaded modules: ten times faster for many small files. It holds because no module here keeps state.
    pool: 'forks',
    isolate: false,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    restoreMocks: true,
  },
}))
