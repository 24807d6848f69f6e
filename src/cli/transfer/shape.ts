/** Whether a value of unknown origin is of a shape. */
export type Check = (value: unknown) => boolean

export const text: Check = (value) => typeof value === 'string'
/** Text that can be kept as UTF-8. */
export const name: Check = (value) => typeof value === 'string' && value !== '' && !/\p{Surrogate}/u.test(value)
export const flag: Check = (value) => typeof value === 'boolean'
/** A finite one from 0 on. */
export const number: Check = (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0
export const whole: Check = (value) => Number.isSafeInteger(value) && number(value)
export const present: Check = (value) => value !== undefined
export const object: Check = (value) => isObject(value)

export function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function oneOf(...values: readonly unknown[]): Check {
  return (value) => values.includes(value)
}

export function list(item: Check): Check {
  return (value) => Array.isArray(value) && value.every(item)
}

export function either(...checks: readonly Check[]): Check {
  return (value) => checks.some((check) => check(value))
}

export function optional(check: Check): Check {
  return (value) => value === undefined || check(value)
}

/** An object with these fields, and others that a later version may have added. */
export function fields(checks: { readonly [name: string]: Check }): Check {
  return (value) => isObject(value) && wrongField(checks, value) === undefined
}

/** The first field that is not of its shape. */
export function wrongField(checks: { readonly [name: string]: Check }, value: { readonly [name: string]: unknown }): string | undefined {
  return Object.keys(checks).find((field) => checks[field]?.(Object.hasOwn(value, field) ? value[field] : undefined) !== true)
}
