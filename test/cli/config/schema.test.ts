import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { configKeys } from '../../../src/cli/config/keys.ts'
import { modelsShape } from '../../../src/cli/config/model-shape.ts'
import { readConfig } from '../../../src/cli/config/read-config.ts'
import { configSchema, schemaPath } from '../../../src/cli/config/schema.ts'
import { faultsOf } from '../../../src/cli/config/shapes.ts'
import { jsonSchema } from '../../../src/json-schema/index.ts'
import { defineModels } from '../../../src/models/registry/index.ts'
import { newFolder } from '../folders.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

test('the schema that is shipped is the one of the table that checks', () => {
  const text = readFileSync(join(root, schemaPath), 'utf8')
  // To make it anew: node -e "import('./src/cli/config/schema.ts').then(({ configSchema }) => console.log(JSON.stringify(configSchema(), null, 2)))"
  expect(JSON.parse(text)).toEqual(configSchema())
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] }
  expect(files).toContain('schemas')
})

test('every setting has a description, in the schema and in the docs', () => {
  const docs = readFileSync(join(root, 'docs', 'command.md'), 'utf8')
  const { properties } = configSchema() as { properties: Record<string, { description: string }> }
  expect(Object.keys(properties)).toEqual(['$schema', ...configKeys])
  for (const key of configKeys) {
    expect(properties[key]?.description).toMatch(/^[A-Z].*\.$|^false: .*\.$/)
    expect(docs).toContain(`| \`${key}\` |`)
  }
})

const samples: readonly unknown[] = [
  ...[true, false, null, 0, 1, 1.5, -1, 50, 1_000_000, 1_000_001, 0.01],
  ...['', ' ', 'a', 'offline', 'x'.repeat(200), 'x'.repeat(201), '😀'.repeat(200), 'x'.repeat(20_001)],
  ...['http://localhost:8080/v1', 'https://a.example', 'ftp://a', 'http://', 'localhost:8080'],
  ...[0, 1, 1_000_000, 1_000_000_001].map((contextWindow) => ({ 'acme:m': { contextWindow } })),
  ...[{ input: 1, output: 2 }, { input: 1 }, { input: -1, output: 2 }, { input: 1, output: 2, cache: 3 }].map((prices) => ({
    'acme:m': { prices },
  })),
  ...[[], [{ above: 5, input: 1, output: 2 }], [{ input: 1, output: 2 }], [1], {}].map((tiers) => ({
    'acme:m': { prices: { input: 1, output: 2, tiers } },
  })),
  ...['native', 'no', 1].map((structuredOutput) => ({ 'acme:m': { capabilities: { structuredOutput, reasoning: true } } })),
  ...[
    { 'acme:m': {} },
    { m: {} },
    { ':m': {} },
    { 'acme:m:8b': { aliases: ['a', 'b'] } },
    { 'acme:m': { aliases: ['a b'] } },
    { 'acme:m': [] },
  ],
  ...[{ 'localhost:8080:m': { capabilities: {} } }, { '[::1]:8080:m': {} }, { 'acme: m': {} }],
  ...[[], ['read'], ['read', 'read_file'], ['Read'], [1], ['git *'], [' '], ['a.example'], ['a/b'], Array(201).fill('a'), {}],
]

test('the schema takes what the command takes, key by key', async () => {
  const schema = jsonSchema(configSchema() as Parameters<typeof jsonSchema>[0])
  const folder = newFolder()
  for (const key of [...configKeys, '$schema', 'other'])
    for (const sample of samples) {
      const text = JSON.stringify({ [key]: sample })
      const taken = await takes(text, folder)
      const valid = (await schema['~standard'].validate(JSON.parse(text))).issues === undefined
      expect([key, sample, taken]).toEqual([key, sample, valid])
    }
})

test('what fits the setting models is taken by defineModels', () => {
  for (const sample of samples) if (faultsOf(sample, modelsShape, 'models').length === 0) defineModels(sample as never).models()
  expect(samples.filter((sample) => faultsOf(sample, modelsShape, 'models').length === 0).length).toBeGreaterThan(10)
})

async function takes(text: string, folder: string): Promise<boolean> {
  const { writeFileSync } = await import('node:fs')
  const file = join(folder, 'a.json')
  writeFileSync(file, text)
  try {
    readConfig(file)
    return true
  } catch {
    return false
  }
}
