import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { configKeys } from '../../../src/cli/config/keys.ts'
import { readConfig } from '../../../src/cli/config/read-config.ts'
import { configSchema, schemaPath } from '../../../src/cli/config/schema.ts'
import { jsonSchema } from '../../../src/json-schema/index.ts'
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
