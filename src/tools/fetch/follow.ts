import { RondoError } from '../../core/error.ts'
import { errorCode, problem } from '../files/problem.ts'
import type { Network } from './network.ts'
import { type Answer, request } from './request.ts'
import type { Rules } from './rules.ts'
import { checkUrl, findTarget } from './target.ts'
import type { Watch } from './watch.ts'

export interface Way {
  readonly rules: Rules
  readonly redirects: number
  readonly userAgent: string
  readonly network: Network
}

/** Asks for a URL and goes where redirects lead, each checked as the first. What they lead to is not named in errors. */
export async function follow(text: string, way: Way, watch: Watch): Promise<Answer> {
  let next = checkUrl(text, undefined, way.rules)
  const first = next.label
  for (let hops = 0; ; hops++) {
    const answer = await ask(next, way, watch)
    const { statusCode = 0, headers } = answer.response
    if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) return answer
    answer.close()
    if (hops === way.redirects) throw problem(`${first} was redirected more than ${way.redirects} times. Use another URL.`)
    const from = answer.target.url
    next = checkUrl(headers.location, from, way.rules, `what ${first} redirects to`)
    if (from.protocol === 'https:' && next.url.protocol === 'http:')
      throw problem(`${first} redirects from https to http, which is not followed. Use another URL.`)
  }
}

async function ask(next: { url: URL; label: string }, { rules, network, userAgent }: Way, watch: Watch): Promise<Answer> {
  try {
    const target = await findTarget(next, rules, network, watch)
    return await request(target, userAgent, network, watch)
  } catch (error) {
    throw connectionProblem(error, next.label, watch)
  }
}

/** Words for an error of the network; its own message holds addresses. */
export function connectionProblem(error: unknown, label: string, watch: Watch): unknown {
  if (watch.signal.aborted) return watch.signal.reason
  if (RondoError.is(error)) return error
  const code = errorCode(error)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EAI_NODATA')
    return problem(`The host of ${label} can't be found (${code}). Check its name.`, error)
  if (code === 'ECONNREFUSED') return problem(`Nothing answers at ${label} (${code}). Check the URL, or use another one.`, error)
  if (code.startsWith('HPE_')) return problem(`${label} answered with something that is not HTTP (${code}). Check scheme and port.`, error)
  if (/^(?:Z_|ERR__ERROR|ERR_BROTLI)/.test(code))
    return problem(`What ${label} answered can't be decompressed (${code}). Use another URL.`, error)
  if (isTls(code)) return problem(`There is no secure connection to ${label} (${code}). Use another URL.`, error)
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'EPIPE')
    return problem(`The connection to ${label} broke off (${code}). Try again, or use another URL.`, error)
  return problem(`${label} can't be asked (${code || 'unknown error'}). Try again later, or use another URL.`, error)
}

function isTls(code: string): boolean {
  return /^(?:ERR_(?:TLS|SSL)_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH$|INVALID_|EPROTO$)/.test(code)
}
