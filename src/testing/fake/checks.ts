import { isObject } from './violation.ts'

/** What a field must be, in words, when it is something else. */
export type Check = (value: unknown) => string | undefined

export const number =
  (min: number, max: number): Check =>
  (value) =>
    typeof value === 'number' && value >= min && value <= max ? undefined : `a number from ${min} to ${max}`
export const integer =
  (min: number): Check =>
  (value) =>
    Number.isSafeInteger(value) && Number(value) >= min ? undefined : `an integer, at least ${min}`
export const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && values.includes(value) ? undefined : `one of '${values.join("', '")}'`
export const boolean: Check = (value) => (typeof value === 'boolean' ? undefined : 'a boolean')
export const text: Check = (value) => (typeof value === 'string' && value !== '' ? undefined : 'a string')
export const object: Check = (value) => (isObject(value) ? undefined : 'an object')
export const array: Check = (value) => (Array.isArray(value) ? undefined : 'an array')
export const stop: Check = (value) => {
  const list = Array.isArray(value) ? value : [value]
  return list.length <= 4 && list.every((one) => typeof one === 'string') ? undefined : 'a string or an array of at most 4 strings'
}
