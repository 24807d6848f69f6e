type Header = (name: string) => string | undefined

/**
 * How long the server asks to wait before trying again, in ms: `retry-after-ms`, else `retry-after` in seconds (also fractions) or as one
 * of the three dates of RFC 9110, 5.6.7. A date is the server's, and counts from the server's own `date` where it says one: its clock and
 * ours may be hours apart. What can't be read, is empty, negative or in the past says nothing: `undefined`, never NaN (B105).
 */
export function retryAfterMs(header: Header, nowMs: number): number | undefined {
  return number(header('retry-after-ms'), 1) ?? seconds(header('retry-after'), httpDate(header('date') ?? '', nowMs) ?? nowMs)
}

/** What `x-should-retry` says (Anthropic and OpenAI send it); it wins over what the status suggests. */
export function shouldRetry(header: Header): boolean | undefined {
  const value = header('x-should-retry')?.trim().toLowerCase()
  return value === 'true' ? true : value === 'false' ? false : undefined
}

function number(value: string | undefined, factor: number): number | undefined {
  // Number('') is 0 and Number('0x10') is 16: only plain decimals are meant.
  if (value === undefined || !/^\s*\d+(?:\.\d+)?\s*$/.test(value)) return undefined
  const ms = Number(value) * factor
  return Number.isFinite(ms) ? ms : undefined
}

function seconds(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined
  const ms = number(value, 1_000)
  if (ms !== undefined) return ms
  const at = httpDate(value, nowMs)
  return at === undefined || at < nowMs ? undefined : at - nowMs
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const forms = [
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/, // IMF-fixdate
  /^[A-Z][a-z]+day, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/, // RFC 850
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/, // asctime, in GMT too
]

/** ms since 1970. Not `Date.parse`: it takes asctime for local time, and nearly any text for some date. */
function httpDate(value: string, nowMs: number): number | undefined {
  const parts = forms.map((form) => form.exec(value.trim())?.groups).find((groups) => groups !== undefined)
  if (parts === undefined) return undefined
  const { day, month = '', year = '', time = '' } = parts
  const [hour = NaN, minute = NaN, second = NaN] = time.split(':').map(Number)
  const monthIndex = months.indexOf(month)
  if (monthIndex < 0) return undefined
  const at = Date.UTC(year.length === 2 ? fullYear(Number(year), nowMs) : Number(year), monthIndex, Number(day), hour, minute, second)
  return Number.isFinite(at) ? at : undefined
}

/** RFC 9110: two digits never mean a year more than 50 years ahead, but the last one in the past that ended so. */
function fullYear(twoDigits: number, nowMs: number): number {
  const earliest = new Date(nowMs).getUTCFullYear() - 49
  return earliest + ((twoDigits - (earliest % 100) + 100) % 100)
}
