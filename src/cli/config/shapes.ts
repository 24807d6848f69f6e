import { parsedUrl } from '../parsed-url.ts'
/** What a value may be. Errors, the JSON schema and the check are all made from this. */
export type Shape =
  | { readonly is: 'switch' }
  | { readonly is: 'text'; readonly maxLength: number }
  | { readonly is: 'choice'; readonly of: readonly string[] }
  | { readonly is: 'url' }
  | { readonly is: 'whole'; readonly from: number; readonly to: number }
  | { readonly is: 'amount' }
  | { readonly is: 'rate' }
  | { readonly is: 'list'; readonly of: string; readonly pattern: string }
  | { readonly is: 'fields'; readonly of: Fields; readonly needs: readonly string[]; readonly example: string }
  | { readonly is: 'several'; readonly of: Shape; readonly name: string }
  | { readonly is: 'named'; readonly of: Shape; readonly name: string; readonly pattern: string; readonly example: string }

export interface Fields {
  readonly [name: string]: Shape
}

/** Items of a list. */
export const maxItems = 200
export const maxItemLength = 1_000
/** USD for a million tokens. */
export const maxRate = 1_000_000

/** The words that follow "must be". */
function expected(shape: Shape): string {
  switch (shape.is) {
    case 'switch':
      return 'true or false'
    case 'text':
      return `a text of 1 to ${shape.maxLength.toLocaleString('en-US')} characters`
    case 'choice':
      return `one of ${shape.of.map((word) => `"${word}"`).join(', ')}`
    case 'url':
      return 'an http or https URL, as "http://localhost:8080/v1"'
    case 'whole':
      return `a whole number from ${shape.from} to ${shape.to.toLocaleString('en-US')}`
    case 'amount':
      return 'a number of USD above 0'
    case 'rate':
      return `USD for a million tokens, 0 to ${maxRate.toLocaleString('en-US')}`
    case 'list':
      return `a list of up to ${maxItems} ${shape.of}`
    case 'fields':
      return `an object, as ${shape.example}`
    case 'several':
      return `a list of up to ${maxItems} ${shape.name}`
    case 'named':
      return `an object of up to ${maxItems} ${shape.name}, as ${shape.example}`
  }
}

/** A value, or a part of it, that is not what it must be. `path` names the part, from the setting on. */
export type Fault =
  | { readonly path: string; readonly must: string }
  | { readonly path: string; readonly unknown: string; readonly known: readonly string[] }

/** What is wrong with a value; empty where it is what it must be. */
export function faultsOf(value: unknown, shape: Shape, path: string): readonly Fault[] {
  const wrong: readonly Fault[] = [{ path, must: expected(shape) }]
  switch (shape.is) {
    case 'fields':
      return isObject(value) ? fieldFaults(value, shape, path) : wrong
    case 'several':
      if (!Array.isArray(value) || value.length > maxItems) return wrong
      return value.flatMap((item, at) => faultsOf(item, shape.of, `${path}[${at}]`))
    case 'named':
      return isObject(value) && Object.keys(value).length <= maxItems ? namedFaults(value, shape, path) : wrong
    default:
      return fits(value, shape) ? [] : wrong
  }
}

function fieldFaults(value: object, { of, needs }: Shape & { readonly is: 'fields' }, path: string): readonly Fault[] {
  const missing = needs.filter((name) => !Object.hasOwn(value, name))
  return [
    ...Object.entries(value).flatMap(([name, own]: [string, unknown]): readonly Fault[] => {
      const shape = Object.hasOwn(of, name) ? of[name] : undefined
      if (shape === undefined) return [{ path: `${path}.${name}`, unknown: name, known: Object.keys(of) }]
      return faultsOf(own, shape, `${path}.${name}`)
    }),
    ...missing.map((name) => ({ path: `${path}.${name}`, must: 'there' })),
  ]
}

function namedFaults(value: object, { of, pattern, name }: Shape & { readonly is: 'named' }, path: string): readonly Fault[] {
  const names = new RegExp(pattern)
  return Object.entries(value).flatMap(([key, own]: [string, unknown]) => {
    const there = `${path}.${key}`
    return names.test(key) ? faultsOf(own, of, there) : [{ path: there, must: `a name of ${name}` }]
  })
}

function fits(value: unknown, shape: Exclude<Shape, { readonly is: 'fields' | 'several' | 'named' }>): boolean {
  switch (shape.is) {
    case 'switch':
      return typeof value === 'boolean'
    case 'text':
      // As JSON Schema counts: characters, not UTF-16 units.
      return typeof value === 'string' && value.trim() !== '' && [...value].length <= shape.maxLength
    case 'choice':
      return typeof value === 'string' && shape.of.includes(value)
    case 'url':
      return typeof value === 'string' && /^https?:\/\/[^\s/]/.test(value) && parsedUrl(value) !== undefined
    case 'whole':
      return Number.isInteger(value) && Number(value) >= shape.from && Number(value) <= shape.to
    case 'amount':
      return typeof value === 'number' && Number.isFinite(value) && value > 0
    case 'rate':
      return typeof value === 'number' && value >= 0 && value <= maxRate
    case 'list':
      return Array.isArray(value) && value.length <= maxItems && value.every((item) => isItem(item, new RegExp(shape.pattern)))
  }
}

function isItem(item: unknown, pattern: RegExp): boolean {
  return typeof item === 'string' && [...item].length <= maxItemLength && pattern.test(item)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
