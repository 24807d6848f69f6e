import { open } from 'node:fs/promises'
import type * as Peer from 'node-llama-cpp'
import { messageOf, RondoError } from '../../core/error.ts'

export type { Peer }

/** The optional peer. Rejects with `ConfigInvalid`, naming the command that installs it. */
export async function loadPeer(load: () => Promise<typeof Peer> = () => import('node-llama-cpp')): Promise<typeof Peer> {
  try {
    return await load()
  } catch (cause) {
    const isAbsent = typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND'
    const why = isAbsent ? '' : ` It could not be loaded: ${messageOf(cause)}`
    throw new RondoError('ConfigInvalid', `llamaCpp() needs the package node-llama-cpp: npm install node-llama-cpp@3${why}`, { cause })
  }
}

/** Whether there is a GGUF file; by its first bytes, for the words of the package are about its inner workings. */
export async function checkFile(path: string): Promise<void> {
  let bytes: Buffer
  try {
    const file = await open(path)
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
      bytes = buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  } catch (cause) {
    throw new RondoError('ConfigInvalid', `llamaCpp: the model ${path} can't be read: ${messageOf(cause)}`, { cause })
  }
  if (bytes.toString('latin1') !== 'GGUF') throw new RondoError('ConfigInvalid', `llamaCpp: ${path} is no GGUF file.`)
}

/** What the package says of a model or context that it can't make. */
export function loadFailure(path: string, cause: unknown): RondoError {
  if (RondoError.is(cause)) return cause
  const said = messageOf(cause)
  const advice = /insufficient|memory|vram|too large/i.test(said)
    ? 'Set a smaller contextSize or fewer sequences, or take a smaller model.'
    : 'Perhaps the file is damaged or not complete: load it again. Or it is of a kind that this version of node-llama-cpp does not know.'
  return new RondoError('ConfigInvalid', `llamaCpp: the model ${path} could not be loaded: ${said.replace(/[.\s]*$/, '.')} ${advice}`, {
    cause,
  })
}
