import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** What `makeCertificates` makes: an authority, and servers that it vouches for. */
export interface Certificates {
  /** In PEM. */
  readonly authority: string
  /** For 127.0.0.1. */
  readonly good: Certificate
  /** It was over yesterday. */
  readonly expired: Certificate
  /** For another host. */
  readonly misnamed: Certificate
}

/** Certificates that are made now, by the program openssl. */
export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'rondo-openssl-'))
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  const newKey = (name: string) => ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', `${name}.key`]
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const server = (name: string, host: string, days: number): Certificate => {
    openssl('req', ...newKey(name), '-subj', `/CN=${name}`, '-addext', `subjectAltName=${host}`, '-out', `${name}.csr`)
    const signed = ['-CA', 'authority.pem', '-CAkey', 'authority.key', '-copy_extensions', 'copy', '-days', String(days)]
    openssl('x509', '-req', '-in', `${name}.csr`, ...signed, '-out', `${name}.pem`)
    return { cert: read(`${name}.pem`), key: read(`${name}.key`) }
  }
  try {
    openssl('req', '-x509', ...newKey('authority'), '-subj', '/CN=authority', '-days', '2', '-out', 'authority.pem')
    return {
      authority: read('authority.pem'),
      good: server('good', 'IP:127.0.0.1', 2),
      expired: server('expired', 'IP:127.0.0.1', -1),
      misnamed: server('misnamed', 'DNS:other.test', 2),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
