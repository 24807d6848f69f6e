import { systemError } from './errors.ts'
import type { ShellFiles } from './shell-files.ts'

/** What the thread of a command asks for. */
export interface Request {
  readonly id: number
  /** Rejects with `EINVAL` for what can't be asked for. */
  readonly work: (files: ShellFiles) => Promise<unknown>
}

export interface Result {
  readonly output: Uint8Array
  readonly errors: Uint8Array
  readonly exitCode: number
}

/** The end of a command; `undefined` for another message. */
export function asResult(message: unknown): Result | undefined {
  if (!isRecord(message) || !isRecord(message['done'])) return undefined
  const { output, errors, exitCode } = message['done']
  return { output: bytes(output), errors: bytes(errors), exitCode: number(exitCode) }
}

/** What comes from the thread is not trusted: it runs what a model wrote. */
export function asRequest(message: unknown): Request {
  if (!isRecord(message) || !Array.isArray(message['args'])) throw systemError('EINVAL')
  const { id, method } = message
  const [first, second, third]: readonly unknown[] = message['args']
  return { id: number(id), work: async (files) => ask(files, method, first, second, third) }
}

function ask(files: ShellFiles, method: unknown, first: unknown, second: unknown, third: unknown): Promise<unknown> {
  const path = text(first)
  switch (method) {
    case 'readFile':
      return files.readFile(path)
    case 'writeFile':
      return files.writeFile(path, bytes(second))
    case 'appendFile':
      return files.appendFile(path, bytes(second))
    case 'exists':
      return files.exists(path)
    case 'stat':
      return files.stat(path)
    case 'lstat':
      return files.lstat(path)
    case 'mkdir':
      return files.mkdir(path, second === 'all' ? 'all' : 'one')
    case 'readdir':
      return files.readdir(path)
    case 'rm':
      return files.rm(path, second === 'all' ? 'all' : 'empty')
    case 'cp':
      return files.cp(path, text(second), third === 'all' ? 'all' : 'file')
    case 'mv':
      return files.mv(path, text(second))
    case 'chmod':
      return files.chmod(path, number(second))
    case 'symlink':
      return files.symlink(path, text(second))
    case 'link':
      return files.link(path, text(second))
    case 'readlink':
      return files.readlink(path)
    case 'realpath':
      return files.realpath(path)
    case 'utimes':
      return files.utimes(path, date(second))
    default:
      throw systemError('EINVAL')
  }
}

function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw systemError('EINVAL')
  return value
}

function number(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw systemError('EINVAL')
  return value
}

function bytes(value: unknown): Uint8Array {
  if (!(value instanceof Uint8Array)) throw systemError('EINVAL')
  return value
}

function date(value: unknown): Date {
  if (!(value instanceof Date) || Number.isNaN(value.getTime())) throw systemError('EINVAL')
  return value
}
