import type { Transform } from 'node:stream'

/** Two are known from proxies that compress what came compressed; each step costs memory, and a server could name thousands. */
const maxSteps = 3

/**
 * Streams that undo, one after the other, what `content-encoding` lists, and hold nothing back; `undefined` for what can't be undone. Nothing
 * asks for compression, but some gateways compress whatever the request says.
 */
export function decompressors(contentEncoding: string): readonly Transform[] | undefined {
  const names = contentEncoding
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity')
  if (names.length > maxSteps) return undefined
  const steps: Transform[] = []
  // They are listed in the order in which they were applied (RFC 9110, 8.4).
  for (const name of names.reverse()) {
    const step = decompressor(name)
    if (step === undefined) return undefined
    steps.push(step)
  }
  return steps
}

function decompressor(encoding: string): Transform | undefined {
  const zlib = process.getBuiltinModule('node:zlib')
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createUnzip({ flush: Z_SYNC_FLUSH })
    case 'deflate':
      return inflate()
    case 'br':
      return zlib.createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH })
    case 'zstd':
      return zlib.createZstdDecompress?.() // Node 22.15 and later
    default:
      return undefined
  }
}

/** `deflate` means the zlib format (RFC 9110, 8.4.1.2), but some servers send it without its header, and some send gzip: the first byte tells. */
function inflate(): Transform {
  const zlib = process.getBuiltinModule('node:zlib')
  const options = { flush: zlib.constants.Z_SYNC_FLUSH }
  let inner: Transform | undefined
  const begin = (first: number): Transform => {
    const begun = isWrapped(first) ? zlib.createUnzip(options) : zlib.createInflateRaw(options)
    begun.on('data', (bytes: Buffer) => outer.push(bytes))
    begun.on('error', (error) => outer.destroy(error))
    return begun
  }
  const outer = new (process.getBuiltinModule('node:stream').Transform)({
    transform(bytes: Buffer, _encoding, taken) {
      inner ??= begin(bytes[0] ?? 0)
      inner.write(bytes, () => taken())
    },
    flush(ended) {
      if (inner === undefined) return ended()
      inner.once('end', () => ended())
      inner.end()
    },
    destroy(error, destroyed) {
      inner?.destroy()
      destroyed(error)
    },
  })
  return outer
}

/** Of the zlib format the low half of the first byte is 8 (RFC 1950), which begins no compressed block; gzip begins with 0x1f. */
function isWrapped(first: number): boolean {
  return (first & 0x0f) === 8 || first === 0x1f
}
