import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The lines of a source at which a plugin says something. */
function linesRefused(plugin: string, source: readonly string[]): readonly number[] {
  const folder = mkdtempSync(join(tmpdir(), 'rondo-lint-'))
  try {
    const plugins = [join(root, 'scripts', plugin)]
    writeFileSync(join(folder, 'biome.json'), JSON.stringify({ linter: { rules: { recommended: false } }, plugins }))
    writeFileSync(join(folder, 'a.js'), source.join('\n'))
    const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
    const { stdout, stderr } = spawnSync(process.execPath, [biome, 'lint', '--max-diagnostics=100', '--colors=off', 'a.js'], {
      cwd: folder,
    })
    return Array.from(`${stdout}${stderr}`.matchAll(/^a\.js:(\d+):\d+ plugin/gm), ([, line]) => Number(line))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('lint: a function literal that is assigned to a property is refused, whatever the operator and the way to name the property (0015)', () => {
  const refused = [
    'x.y = () => {}',
    'x.y = function () {}',
    'x.y.z = async () => {}',
    "x['y'] = () => {}",
    'x[key] = () => {}',
    'x.y ??= () => {}',
    'x.y ||= () => {}',
    'x.y &&= function () {}',
    "x['y'] ??= () => {}",
    'x[key] ||= () => {}',
    'class A { #f; set() { this.#f ??= () => {} } }',
  ]
  const taken = [
    'const f = () => {}',
    'x.y = f',
    'g = () => {}',
    'g ??= () => {}',
    'class B { f = () => {} }',
    'call(() => {}, { f: () => {} })',
  ]
  expect(linesRefused('no-tenured-closures.grit', [...refused, ...taken])).toEqual(refused.map((_, index) => index + 1))
})

test('lint: URL.canParse is refused: it forgets how to read', () => {
  const source = ['URL.canParse(text)', 'if (a && URL.canParse(text, base)) b()', 'URL.parse(text)', 'new URL(text)']
  expect(linesRefused('no-url-can-parse.grit', source)).toEqual([1, 2])
})
