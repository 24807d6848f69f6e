import type { IncomingMessage } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { problem } from '../files/problem.ts'
import type { Answer } from './request.ts'
import type { Watch } from './watch.ts'

export interface Body {
  readonly bytes: Buffer
  /** False if the body has more bytes than may be read. */
  readonly complete: boolean
}

/** Reads at most so many bytes, counted after decompression: a small body that unpacks to a huge one costs no more. */
export async function readBody({ response, target }: Answer, most: number, watch: Watch): Promise<Body> {
  const pieces: Buffer[] = []
  let size = 0
  let packedSize = 0
  const body = unpacked(response, target.label)
  try {
    const whole = new Promise<Body>((resolve, reject) => {
      response.on('data', (piece: Buffer) => {
        packedSize += piece.length
        watch.alive()
      })
      // Nothing at all is nothing in every encoding, but none that zlib takes.
      const fail = (error: unknown) =>
        packedSize === 0 && response.complete ? resolve({ bytes: Buffer.alloc(0), complete: true }) : reject(error)
      for (const stream of new Set([response, body])) stream.on('error', fail)
      response.once('close', () => !response.complete && reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })))
      body.on('data', (piece: Buffer) => {
        if (size > most) return
        pieces.push(piece)
        size += piece.length
        if (size > most) resolve({ bytes: Buffer.concat(pieces).subarray(0, most), complete: false })
      })
      body.once('end', () => resolve({ bytes: Buffer.concat(pieces), complete: true }))
    })
    return await watch.during(whole)
  } finally {
    body.destroy()
  }
}

function unpacked(response: IncomingMessage, label: string): Readable {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity' || encoding === '') return response
  const step = unpacker(encoding)
  if (step === undefined)
    throw problem(`${label} answered in the encoding '${encoding.slice(0, 60)}', which can't be read. Use another URL.`)
  return response.pipe(step)
}

/** One step only: nobody packs a page twice but to make it grow. */
function unpacker(encoding: string): Transform | undefined {
  const zlib = process.getBuiltinModule('node:zlib')
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip()
    case 'deflate':
      return zlib.createInflate()
    case 'br':
      return zlib.createBrotliDecompress()
    default:
      return undefined
  }
}
