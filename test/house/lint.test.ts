import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('lint: a function literal that is assigned to a property is refused, whatever the operator and the way to name the property (0015)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rondo-lint-'))
  const plugins = [join(root, 'scripts/no-tenured-closures.grit')]
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
  try {
    writeFileSync(join(folder, 'biome.json'), JSON.stringify({ linter: { rules: { recommended: false } }, plugins }))
    writeFileSync(join(folder, 'a.js'), [...refused, ...taken].join('\n'))
    const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
    const { stdout, stderr } = spawnSync(process.execPath, [biome, 'lint', '--max-diagnostics=100', '--colors=off', 'a.js'], {
      cwd: folder,
    })
    const lines = Array.from(`${stdout}${stderr}`.matchAll(/^a\.js:(\d+):\d+ plugin/gm), ([, line]) => Number(line))
    expect(lines).toEqual(refused.map((_, index) => index + 1))
  } finally {
    rmSync(folder, { recursive: true })
  }
})
