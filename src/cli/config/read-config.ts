import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { nearest } from '../nearest.ts'
import { CannotRun } from '../terminal.ts'
import { oneLine, plain } from '../text.ts'
import { lineOfFault } from './json-fault.ts'
import { type ConfigValues, configKeys, keys } from './keys.ts'
import { type Fault, faultsOf } from './shapes.ts'

/** Bytes of a file. */
const maxBytes = 65_536

/** Reads a file and checks it. Throws `CannotRun`, which names the file, for what can't be read, is no JSON, or holds what is not known. */
export function readConfig(file: string): ConfigValues {
  const name = plain(file)
  const text = textOf(file, name)
  const line = lineOfFault(text)
  if (line !== undefined)
    throw new CannotRun(`${name} is no JSON: look at line ${line}. (JSON has no comments, and no comma after the last value.)`)
  return checked(JSON.parse(text), name)
}

function textOf(file: string, name: string): string {
  const bytes = bytesOf(file, name)
  try {
    // It leaves out a byte order mark.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new CannotRun(`${name} is not in UTF-8. Save it as UTF-8.`)
  }
}

function bytesOf(file: string, name: string): Uint8Array {
  let handle: number | undefined
  try {
    // Whatever stands there, a pipe too: opening it must not wait.
    handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    const status = fstatSync(handle)
    if (status.isDirectory()) throw new CannotRun(`${name} is a folder, and should be a file of settings.`)
    if (!status.isFile()) throw new CannotRun(`${name} is no regular file, and should be a file of settings.`)
    const bytes = Buffer.alloc(maxBytes + 1)
    let size = 0
    for (let read = -1; read !== 0 && size < bytes.length; size += read) read = readSync(handle, bytes, size, bytes.length - size, null)
    if (size > maxBytes) throw new CannotRun(`${name} is larger than ${maxBytes.toLocaleString('en-US')} bytes, which no settings need.`)
    return bytes.subarray(0, size)
  } catch (error) {
    if (error instanceof CannotRun) throw error
    throw new CannotRun(`${name} can't be read (${oneLine(reasonOf(error))}).`)
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}

function checked(value: unknown, name: string): ConfigValues {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CannotRun(`${name} must hold one object of settings, as { "model": "offline" }.`)
  const problems = Object.entries(value).flatMap(([key, own]) => problemOf(key, own))
  if (problems.length > 0) throw new CannotRun(`${name}: ${problems.slice(0, maxProblems).join(' ')}`)
  const { $schema: _, ...values } = value as ConfigValues & { readonly $schema?: string }
  return values
}

const maxProblems = 5

function problemOf(key: string, value: unknown): string[] {
  const shown = `"${oneLine(key).slice(0, 60)}"`
  if (key === '$schema') return typeof value === 'string' ? [] : [`${shown} must be a text, the address of a schema.`]
  const known = configKeys.find((one) => one === key)
  if (known === undefined) return [`There is no setting ${shown}. ${nearestOf(key, configKeys)}`]
  return faultsOf(value, keys[known].shape, key).map(said)
}

function said(fault: Fault): string {
  const path = `"${oneLine(fault.path).slice(0, 200)}"`
  return 'must' in fault ? `${path} must be ${fault.must}.` : `There is no setting ${path}. ${nearestOf(fault.unknown, fault.known)}`
}

function nearestOf(key: string, all: readonly string[]): string {
  const near = nearest(key, all)
  return near === undefined ? `There are ${all.join(', ')}.` : `Did you mean "${near}"?`
}
