import { CannotRun } from '../terminal.ts'
import { oneLine } from '../text.ts'

const unitMs: { readonly [unit in string]?: number } = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 }
const dateForm = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?(Z|[+-]\d\d:\d\d)?)?$/

/**
 * A time that a person names, in ms since 1970: `30m`, `3h`, `2d`, `1w` before `now`, or an ISO date, of a day its beginning; without a zone in
 * that of the process. Throws `CannotRun` for anything else.
 */
export function since(text: string, now: number): number {
  const [, amount = '', unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text) ?? []
  const ms = unitMs[unit]
  if (ms !== undefined) return now - Number(amount) * ms
  const at = dateIn(text)
  if (at !== undefined) return at
  throw new CannotRun(
    `--since ${oneLine(text)} is no time. Say how long ago (30m, 3h, 2d, 1w) or since when (2026-11-28, 2026-11-28T12:30, 2026-11-28T12:30Z).`,
  )
}

function dateIn(text: string): number | undefined {
  const parts = dateForm.exec(text)
  if (parts === null) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map((part) => Number(part ?? 0))
  const zone = parts[7]
  // What is not on the calendar or the clock (February 30th) comes out as another one.
  const utc = new Date(Date.UTC(year, month - 1, day, hour, minute, second))
  const isReal = utc.getUTCMonth() === month - 1 && utc.getUTCDate() === day && utc.getUTCHours() === hour && minute < 60 && second < 60
  if (!isReal) return undefined
  if (zone === undefined) return new Date(year, month - 1, day, hour, minute, second).getTime()
  const at = Date.parse(text.replace(' ', 'T'))
  return Number.isNaN(at) ? undefined : at
}
