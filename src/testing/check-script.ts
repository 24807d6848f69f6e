import { RondoError } from '../core/error.ts'

/** A text has letters where a list has replies: what comes from JavaScript would be played letter by letter. */
export function checkScript(maker: string, script: unknown): void {
  if (!Array.isArray(script))
    throw new RondoError('ConfigInvalid', `${maker}: the replies must be a list, as ['Hello.'], and are ${kindOf(script)}.`)
}

function kindOf(value: unknown): string {
  return value === undefined ? 'missing' : value === null ? 'null' : `of type ${typeof value}`
}
