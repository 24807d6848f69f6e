import type { Transform } from 'node:stream'

/**
 * A stream that undoes a content encoding and holds nothing back; `undefined` for one that can't be undone. Nothing asks for compression, but
 * some gateways compress whatever the request says.
 */
export function decompressor(encoding: string): Transform | undefined {
  const zlib = process.getBuiltinModule('node:zlib')
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
    case 'deflate':
      return zlib.createUnzip({ flush: Z_SYNC_FLUSH })
    case 'br':
      return zlib.createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH })
    case 'zstd':
      return zlib.createZstdDecompress?.() // Node 22.15 and later
    default:
      return undefined
  }
}
