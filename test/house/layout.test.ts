import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { checkLayout } from '../../scripts/check-layout.mjs'

/** Writes a small tree into a temporary folder and says what the check finds in it. */
function violationsOf(files: Record<string, string>): string[] {
  const dir = mkdtempSync(join(tmpdir(), 'layout-'))
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(dir, name)), { recursive: true })
      writeFileSync(join(dir, name), text)
    }
    return checkLayout(dir).violations
  } finally {
    rmSync(dir, { recursive: true })
  }
}

/** One file with one import; the name says the rule, the list says all that must be found. */
const oneImport: [rule: string, from: string, code: string, found: string[]][] = [
  ['core imports no other room', 'src/core/a.ts', `import { b } from '../engine/b.ts'`, ['core may import no room but itself']],
  ['core imports no node: module', 'src/core/a.ts', `import { join } from 'node:path'`, ['core imports no node: module']],
  ['core imports no package', 'src/core/a.ts', `import { z } from 'zod'`, ['core may import no package but (none)']],
  ['a type-only import counts', 'src/core/a.ts', `import type { B } from '../stores/b.ts'`, ['core may import no room but itself']],
  ['an import type counts', 'src/core/a.ts', `type B = import('../stores/b.ts').B`, ['core may import no room but itself']],
  ['an import expression counts', 'src/core/a.ts', `const b = await import('../stores/b.ts')`, ['core may import no room but itself']],
  ['a re-export counts', 'src/core/a.ts', `export * from '../stores/b.ts'`, ['core may import no room but itself']],
  ['an import for its effect counts', 'src/core/a.ts', `import '../stores/b.ts'`, ['core may import no room but itself']],
  ['engine imports only core', 'src/engine/a.ts', `import { b } from '../models/b.ts'`, ['engine may import no room but core']],
  ['context imports only core', 'src/context/a.ts', `import { b } from '../engine/b.ts'`, ['context may import no room but core']],
  ['models import only core', 'src/models/a.ts', `import { b } from '../tools/b.ts'`, ['models may import no room but core']],
  ['stores import only core', 'src/stores/a.ts', `import { b } from '../agent.ts'`, ['stores may import no room but core']],
  ['output imports only core', 'src/output/a.ts', `import { b } from '../json-schema/b.ts'`, ['output may import no room but core']],
  [
    'tools import core and json-schema',
    'src/tools/a.ts',
    `import { b } from '../stores/b.ts'`,
    ['tools may import no room but core, json-schema'],
  ],
  [
    'a room has its own packages only',
    'src/tools/a.ts',
    `import { b } from 'commander'`,
    ['tools may import no package but ignore, picomatch, unbash'],
  ],
  ['nothing imports testing', 'src/cli/a.ts', `import { b } from '../testing/index.ts'`, ['nothing in src imports testing']],
  ['src imports no file outside', 'src/cli/a.ts', `import pkg from '../../package.json'`, ['src imports no file outside itself']],
  [
    'the cli imports entries only',
    'src/cli/a.ts',
    `import { b } from '../tools/b.ts'`,
    ['cli may import no room but the entry files of other rooms'],
  ],
  [
    'drivers import entries only',
    'src/drivers/a.ts',
    `import { b } from '../core/b.ts'`,
    ['drivers may import no room but the entry files of other rooms'],
  ],
]

test.each(oneImport)('layout: %s', (_rule, from, code, found) => {
  const specifier = /'(.+)'/.exec(code)?.[1]
  expect(violationsOf({ [from]: `/* ${code} */\n\n// ${code}\n${code}\n` })).toEqual(
    found.map((rule) => `${from}:4 imports ${specifier}: ${rule}`),
  )
})

test('layout: a file outside the known rooms', () => {
  expect(violationsOf({ 'src/helpers/a.ts': '' })).toEqual(['src/helpers/a.ts:1 is in no known room'])
})

test('layout: the root entry loads no node: module and no package, through any chain of imports', () => {
  const tree = {
    'src/index.ts': `export { a } from './agent.ts'\nexport type { Sql } from './stores/sqlite.ts'\n`,
    'src/agent.ts': `import {\n  b,\n} from './models/b.ts'\nexport const a = b\n`,
    'src/models/b.ts': `import http from 'node:http'\nexport const b = http\n`,
    'src/stores/sqlite.ts': `import { DatabaseSync } from 'node:sqlite'\nexport type Sql = DatabaseSync\n`,
  }
  expect(violationsOf(tree)).toEqual([
    'src/models/b.ts:1 imports node:http: the root entry is free of node: modules and packages (src/index.ts > src/agent.ts > src/models/b.ts)',
  ])
})

test('layout: of a #name import, the root entry loads the default side', () => {
  const tree = {
    'package.json': JSON.stringify({ imports: { '#wire': { node: './dist/models/node.js', default: './dist/models/web.js' } } }),
    'src/index.ts': `export * from './models/b.ts'\n`,
    'src/models/b.ts': `export { wire } from '#wire'\n`,
    'src/models/node.ts': `export * as wire from 'node:http'\n`,
    'src/models/web.ts': `export const wire = 1\n`,
  }
  expect(violationsOf(tree)).toEqual([])
  expect(violationsOf({ ...tree, 'src/models/web.ts': tree['src/models/node.ts'] })).toHaveLength(1)
})

test('layout: the default side of a #name import loads no node: module, whoever imports it', () => {
  const tree = {
    'package.json': JSON.stringify({ imports: { '#wire': { node: './dist/models/node.js', default: './dist/models/web.js' } } }),
    'src/models/node.ts': `export * as wire from 'node:http'\n`,
    'src/models/web.ts': `export { wire } from './node.ts'\n`,
  }
  expect(violationsOf(tree)).toEqual([
    'src/models/node.ts:1 imports node:http: the web variant is free of node: modules and packages (src/models/web.ts > src/models/node.ts)',
  ])
})

test('layout: no circle, not even of types', () => {
  const tree = {
    'src/core/a.ts': `import { b } from './b.ts'\nexport const a = b\n`,
    'src/core/b.ts': `import type { C } from './c.ts'\nexport const b: C = 1\n`,
    'src/core/c.ts': `import type { a } from './a.ts'\nexport type C = typeof a\n`,
  }
  expect(violationsOf(tree)).toEqual([
    'src/core/c.ts:1 imports ./a.ts: closes the circle src/core/a.ts > src/core/b.ts > src/core/c.ts > src/core/a.ts',
  ])
})

test('layout: what is allowed passes', () => {
  const tree = {
    'package.json': JSON.stringify({ exports: { './sqlite': { types: './dist/stores/sqlite.d.ts', default: './dist/stores/sqlite.js' } } }),
    'src/index.ts': `import { a } from './core/a.ts'\nexport { a }\n`,
    'src/core/a.ts': `export const text = "import { x } from 'node:fs'"\nexport const a = 1\n`,
    'src/tools/index.ts': `import ignore from 'ignore'\nimport { a } from '../core/a.ts'\nexport default [ignore, a]\n`,
    'src/stores/sqlite.ts': `import { join } from 'node:path'\nexport const sqlite = join\n`,
    'src/cli/main.ts': `import { Command } from 'commander'\nimport { a } from '../index.ts'\nimport { b } from '../tools/index.ts'\nimport { c } from '../stores/sqlite.ts'\n`,
    'src/testing/index.ts': `import { a } from '../core/a.ts'\nimport { test } from 'vitest'\n`,
  }
  expect(violationsOf(tree)).toEqual([])
})

test('layout: this repository keeps it', () => {
  expect(checkLayout(fileURLToPath(new URL('../..', import.meta.url))).violations).toEqual([])
})

test('layout: core reads no clock and draws no random number', () => {
  const core = fileURLToPath(new URL('../../src/core/', import.meta.url))
  const impure = readdirSync(core, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap(
      (name) =>
        readFileSync(join(core, name), 'utf8')
          .match(/Date\.now|new Date\(\)|Math\.random/g)
          ?.map((found) => `${name}: ${found}`) ?? [],
    )
  expect(impure).toEqual([])
})
