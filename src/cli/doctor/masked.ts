import { parsedUrl } from '../parsed-url.ts'
import type { Terminal } from '../terminal.ts'

/** Names of variables that hold a secret. */
const secret = /(^|_)(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i
/** What would hide half of a report is no secret worth the name. */
const minLength = 6
/** Keys of providers, wherever they were put by mistake. */
const keyLike = /\b(?:(?:sk|pk|gsk|xai|ghp|hf)[-_][\w-]{8,}|AIza[\w-]{20,}|ya29\.[\w-]{8,})/g

/** Says the same without secrets: what is meant to be shown to others may hold none, whatever an address or a wrong setting had in it. */
export function maskerOf(env: Terminal['env']): (text: string) => string {
  const values = Object.entries(env).flatMap(([name, value = '']) => (secret.test(name) ? [value.trim()] : []))
  const long = values.filter((value) => value.length >= minLength).sort((a, b) => b.length - a.length)
  return (text) => long.reduce((so, value) => so.replaceAll(value, '***'), text).replace(keyLike, '***')
}

/** An address without user, password and what follows a question mark. What can't be read as an address is not shown. */
export function withoutCredentials(address: string): string {
  const url = /^[a-z][\w+.-]*:\/\//i.test(address) ? address : `http://${address}`
  const parsed = parsedUrl(url)
  if (parsed === undefined) return "an address that can't be read"
  const { protocol, host, pathname } = parsed
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`
}
