import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'

/** Money that has left. */
export interface Charge {
  /** Which payment it is for. */
  readonly key: string
  readonly to: string
  readonly cents: number
}

/** Writes a charge down, one a line. It takes whatever it is given: nothing here looks for a charge that is there already. */
export function charge(ledger: string, made: Charge): void {
  const file = openSync(ledger, 'a', 0o600)
  try {
    writeSync(file, `${JSON.stringify(made)}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

export function chargesIn(ledger: string): readonly Charge[] {
  if (!existsSync(ledger)) return []
  return readFileSync(ledger, 'utf8').trimEnd().split('\n').map(toCharge)
}

function toCharge(line: string): Charge {
  const { key, to, cents }: Partial<Record<keyof Charge, unknown>> = JSON.parse(line)
  if (typeof key === 'string' && typeof to === 'string' && typeof cents === 'number') return { key, to, cents }
  throw new Error(`this is no line of a ledger: ${line}`)
}

/** `1,300.00 EUR` */
export function euros(cents: number): string {
  return `${(cents / 100).toLocaleString('en-US', { minimumFractionDigits: 2 })} EUR`
}

/** `42.00 EUR to ACME` */
export function amount({ to, cents }: Pick<Charge, 'to' | 'cents'>): string {
  return `${euros(cents)} to ${to}`
}
