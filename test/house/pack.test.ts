// The package as a user gets it: packed, installed into an empty folder, and run on every Node that it promises to run on.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { install, nodes, packInto, run, succeed } from '../setup/packed.ts'

const temporary = mkdtempSync(join(tmpdir(), 'rondo-pack-'))
const app = join(temporary, 'app')
const withFiles = join(temporary, 'with-files')
const bare = join(temporary, 'bare')

const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
const subPaths = Object.keys((manifest as { exports: object }).exports).flatMap((path) =>
  path === '.' || path.endsWith('.json') ? [] : [path.slice(2)],
)

beforeAll(() => {
  for (const folder of [app, withFiles, bare]) mkdirSync(folder)
  writeFileSync(join(app, 'package.json'), '{ "name": "app", "private": true }\n')
  writeFileSync(join(withFiles, 'README.md'), '# Harbour lights\n\n## Tides\n\nHigh at noon.\n')
  writeFileSync(join(withFiles, 'tides.csv'), 'hour,metres\n12,4.1\n')
  install(join(temporary, packInto(temporary)), app)
}, 180_000)

afterAll(() => rmSync(temporary, { recursive: true, force: true }))

test('pack: the tarball holds the built package and nothing of the workshop', () => {
  const found = readdirSync(join(app, 'node_modules', 'rondo')).filter((name) => name !== 'examples')
  expect(found.sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'docs', 'package.json', 'schemas'])
})

test('pack: the documents that the README names are there, but for those of the workshop', () => {
  const root = join(app, 'node_modules', 'rondo')
  const named = [...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/docs\/[\w-]+\.md/g)].map(([path]) => path.slice('docs/'.length))
  expect(named.length).toBeGreaterThan(3)
  expect(readdirSync(join(root, 'docs'))).toEqual(expect.arrayContaining([...new Set(named)]))
  expect(readdirSync(join(root, 'docs'))).not.toContain('decisions')
})

test('pack: an install brings the seven small packages and no optional peer', () => {
  const installed = readdirSync(join(app, 'node_modules')).filter((name) => !name.startsWith('.'))
  expect(installed.sort()).toEqual(['@cfworker', 'commander', 'diff', 'ignore', 'marked', 'picomatch', 'rondo', 'unbash'])
})

for (const [major, binFolder] of nodes()) {
  if (binFolder === undefined) {
    console.log(`not checked: node ${major} is not in .cache/nodes (npm run nodes puts it there)`)
    continue
  }
  describe(`pack: on node ${major}`, { timeout: 120_000 }, () => {
    test('it is that node', () => {
      expect(succeed(binFolder, app, 'node', '-p', 'process.versions.node')).toMatch(new RegExp(`^${major}\\.`))
    })

    test('import and require give the same package', () => {
      const imported = succeed(
        binFolder,
        app,
        'node',
        '-e',
        `import('rondo').then((rondo) => console.log(typeof rondo.Agent, typeof rondo.tool))`,
      )
      const required = succeed(
        binFolder,
        app,
        'node',
        '-e',
        `const rondo = require('rondo'); console.log(typeof rondo.Agent, typeof rondo.tool)`,
      )
      expect([imported, required]).toEqual(['function function\n', 'function function\n'])
    })

    test('every sub-path can be imported, but for what a missing peer says', () => {
      const code = `for (const name of ${JSON.stringify(subPaths)}) {
        const { length } = Object.keys(await import('rondo/' + name))
        console.log(name, length > 0)
      }`
      const found = succeed(binFolder, app, 'node', '--input-type=module', '-e', code)
      expect(found).toBe(subPaths.map((name) => `${name} true\n`).join(''))
    })

    test.each([
      ['node', [], 'node.js'],
      ['default', ['-C', 'bun'], 'web.js'],
    ])('the %s variant of the transport does a request, and B133 its time limits hold nobody back', (_name, conditions, variant) => {
      const code = `import http from 'node:http'
        const server = http.createServer((request, response) => response.end('data: 1')).listen(0, '127.0.0.1', async () => {
          const { send } = await import('#transport')
          const url = 'http://127.0.0.1:' + server.address().port
          const timeouts = { connectMs: 90_000, firstByteMs: 90_000, idleMs: 90_000, totalMs: 90_000 }
          let text = ''
          await send({ method: 'POST', url, headers: {}, body: [], timeouts, maxBytes: 1e6, signal: new AbortController().signal }, {
            head: ({ status }) => { text += status + ' ' }, chunk: (bytes) => { text += new TextDecoder().decode(bytes) } })
          server.close()
          server.closeAllConnections()
          console.log(import.meta.resolve('#transport').split('/').at(-1), text)
        })`
      const startedAt = performance.now()
      // The package itself is where #transport can be imported from.
      const output = succeed(binFolder, join(app, 'node_modules', 'rondo'), 'node', ...conditions, '--input-type=module', '-e', code)
      expect([output, performance.now() - startedAt < 30_000]).toEqual([`${variant} 200 data: 1\n`, true])
    })

    test('npx rondo run tells what is in a folder', () => {
      const output = succeed(binFolder, app, 'npx', 'rondo', 'run', '--cwd', withFiles, 'list the files')
      expect(output).toContain('README.md')
      expect(output).toContain('tides.csv')
    })

    test('npx rondo run says that an empty folder holds nothing to read', () => {
      const { status, stdout, stderr } = run(binFolder, app, 'npx', 'rondo', 'run', '--cwd', bare, 'list the files')
      expect({ status, said: `${stdout}${stderr}` }).toEqual({ status: 0, said: expect.stringMatching(/empty|nothing to read|no files/i) })
    })
  })
}
