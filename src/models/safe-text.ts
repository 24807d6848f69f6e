import { wellFormed } from '../core/text.ts'

/** More of a page or a message than this is not looked at. */
const readUnits = 64 * 1024

const lineBreaks = /[\s\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu

/**
 * What another side wrote, fit to be shown and stored: one line, well-formed, without control characters and bidirectional overrides,
 * `secrets` and whatever looks like a key or a token masked, at most `max` UTF-16 units (cut in the middle of nothing that is one character).
 */
export function safeText(text: string, max: number, secrets: readonly string[] = []): string {
  const known = withoutSecrets(text.slice(0, readUnits), secrets)
  const line = maskKeys(wellFormed(known).replace(lineBreaks, ' ').trim())
  return line.length <= max ? line : `${line.slice(0, isPair(line, max - 2) ? max - 2 : max - 1)}…`
}

function isPair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800
}

const mask = '***'

/** A text without what is known to be secret, however that looks. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let masked = text
  for (const secret of secrets) masked = masked.replaceAll(secret, mask)
  return masked
}

/**
 * What keys look like. The first group is kept, so that a reader sees which key it is about. Servers echo the key that they refuse, some
 * of them half masked with asterisks. Each is read in one pass: no look ahead goes over what the match has not taken.
 */
const keys: readonly RegExp[] = [
  /\b(sk-)[\w*-]{6,}/g,
  /\b(gsk_|gh[opsur]_|github_pat_|xox[a-z]-|glpat-)[\w*-]{10,}/g,
  /\b(AIza|ya29\.|AKIA|ASIA|eyJ|AQ\.)[\w.*-]{12,}/g,
  /([?&](?:key|api[-_]?key|token|access_token|sig|signature)=)[^&\s"'<>]{4,}/gi,
  /(:\/\/)[^\s/@:"']+:[^\s/@"']+@/g,
  /\b((?:api[-_ ]?key|authorization|access[-_ ]?token|secret|password)(?: provided)?[\\"']*\s*[:=]\s*[\\"']*)(?!REDACTED)[\w*~+/=-]{6,}/gi,
]

/** What begins as other words do, and is a key when a digit or an asterisk follows. */
const perhapsKeys: readonly RegExp[] = [
  /\b((?:sk|pk|rk|gsk|xai|pplx|nvapi|csk|r8|hf|gh[opsur]|glpat|tgp)[-_])([\w*-]{6,})/g,
  /\b((?:Bearer|Basic) )([\w.~+/=*-]{6,})/gi,
]

/** A text without what looks like a key or a token. */
export function maskKeys(text: string): string {
  let masked = text
  for (const key of perhapsKeys)
    masked = masked.replace(key, (whole, start: string, rest: string) => (/[\d*]/.test(rest) ? `${start}${mask}` : whole))
  for (const key of keys) masked = masked.replace(key, `$1${mask}`)
  return masked
}

/** Whether a text is a page or a document of tags and not what an API says. */
export function isMarkup(text: string): boolean {
  return /^\s*<(?:[a-z][\w:-]*[\s/>]|!doctype|!--|\?xml)/i.test(text.slice(0, 200))
}

const entities: { readonly [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", apos: "'", nbsp: ' ' }

/** What a page says in short: its title, else its first heading, else the beginning of its text. */
export function pageText(page: string): string {
  const head = page.slice(0, readUnits)
  const named = /<title[^>]{0,300}>([^<]{1,300})/i.exec(head)?.[1] ?? /<h1[^>]{0,300}>([^<]{1,300})/i.exec(head)?.[1]
  const text = named?.trim() || withoutTags(head).slice(0, 300)
  return text.replace(/&(#?\w{1,6});/g, (whole, name: string) => (Object.hasOwn(entities, name) ? (entities[name] ?? whole) : whole))
}

function withoutTags(page: string): string {
  return page
    .replace(/<(script|style)\b[^>]{0,300}>[^<]*(?:<(?!\/\1)[^<]*)*/gi, ' ')
    .replace(/<[^>]*>?/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
