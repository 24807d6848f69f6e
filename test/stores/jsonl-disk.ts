import type { FileHandle } from 'node:fs/promises'
import { onTestFinished } from 'vitest'
import { type Files, realFiles } from '../../src/stores/jsonl-files.ts'
import { JsonlStore } from '../../src/stores/jsonl-store.ts'

export type Call = 'open' | 'write' | 'sync' | 'truncate' | 'unlink' | 'sync folder'

/** A disk that does what it is told to before each call: `throw` something, or take only a part of a write. */
export interface Disk {
  readonly files: Files
  readonly calls: { readonly call: Call; readonly path: string }[]
  /** What goes wrong; it throws, or returns how many bytes a write takes. */
  fault: (call: Call, path: string) => number | undefined
}

export function disk(): Disk {
  const made: Disk = { files: realFiles, calls: [], fault: () => undefined }
  const meets = (call: Call, path: string): number | undefined => {
    made.calls.push({ call, path })
    return made.fault(call, path)
  }
  const wrap = (handle: FileHandle, path: string, isFolder: boolean): FileHandle =>
    new Proxy(handle, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        return async (...args: unknown[]) => {
          if (name === 'sync') meets(isFolder ? 'sync folder' : 'sync', path)
          if (name === 'truncate') meets('truncate', path)
          if (name === 'write') {
            const part = meets('write', path)
            if (part !== undefined) args[2] = Math.min(part, Number(args[2]))
          }
          return value.apply(target, args)
        }
      },
    })
  const open: Files['open'] = async (path, flags, mode) => {
    meets('open', String(path))
    const handle = await realFiles.open(path, flags, mode)
    return wrap(handle, String(path), (await handle.stat()).isDirectory())
  }
  const unlink: Files['unlink'] = async (path) => {
    meets('unlink', String(path))
    return realFiles.unlink(path)
  }
  return Object.assign(made, { files: { ...realFiles, open, unlink } })
}

export function storeOn(made: Disk, directory: string, synchronous: 'full' | 'normal' = 'full') {
  const warnings: string[] = []
  const store = new JsonlStore({ directory, synchronous, clock: () => 1000, onWarning: (message) => warnings.push(message) }, made.files)
  onTestFinished(() => {
    made.fault = () => undefined
    return store.close()
  })
  return Object.assign(store, { warnings })
}

export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: it was arranged`), { code })
}
