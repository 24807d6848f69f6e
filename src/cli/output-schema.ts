import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Json, RondoError, type Schema } from '../index.ts'
import { jsonSchema } from '../json-schema/index.ts'
import { CannotRun, type Terminal } from './terminal.ts'
import { oneLine } from './text.ts'

const maxBytes = 1_000_000

/** The schema in the file of `--output-schema`; throws `CannotRun` for one that can't be read, or is none. */
export function readOutputSchema(file: string, { cwd }: Pick<Terminal, 'cwd'>): Schema {
  const name = `${oneLine(file)} (--output-schema)`
  const text = textOf(resolve(cwd, file), name)
  let schema: Json
  try {
    schema = JSON.parse(text)
  } catch (error) {
    throw new CannotRun(`${name} is no JSON: ${oneLine(error instanceof Error ? error.message : String(error))}`)
  }
  try {
    return jsonSchema(schema)
  } catch (error) {
    if (!RondoError.is(error)) throw error
    throw new CannotRun(`${name} is no JSON Schema that can be used: ${error.message.replace(/^jsonSchema\(\): /, '')}`)
  }
}

/** The schema that the journal has of a run; `undefined` for what is none. */
export function journaledSchema(schema: Json | undefined): Schema | undefined {
  if (schema === undefined || schema === null) return undefined
  try {
    return jsonSchema(schema)
  } catch (error) {
    if (RondoError.is(error)) return undefined
    throw error
  }
}

function textOf(path: string, name: string): string {
  try {
    const stats = statSync(path)
    if (!stats.isFile()) throw new CannotRun(`${name} is no file.`)
    if (stats.size > maxBytes) throw new CannotRun(`${name} has more than ${maxBytes.toLocaleString('en-US')} bytes.`)
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof CannotRun) throw error
    const { code, message } = error as NodeJS.ErrnoException
    throw new CannotRun(code === 'ENOENT' ? `There is no file ${name}.` : `${name} can't be read: ${oneLine(message)}`)
  }
}
