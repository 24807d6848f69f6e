import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { clip } from '../../core/text.ts'

/** Characters of one saying, and of what is said of one schema. */
const maxOne = 200
const maxAll = 800

/** Words that say nothing to a model, or nothing that it could heed. */
const silent: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$anchor',
  '$comment',
  '$defs',
  'definitions',
  '$vocabulary',
  '$dynamicAnchor',
  'title',
  'description',
  'deprecated',
  'readOnly',
  'writeOnly',
  'required',
  'properties',
  'propertyOrdering',
  'nullable',
])

/** No limits are the ends of what a number can hold exactly: zod gives them to all whole numbers. */
const sayings: ReadonlyMap<string, (value: Json) => string> = new Map<string, (value: Json) => string>([
  ['minimum', (n) => (typeof n === 'number' && n <= Number.MIN_SAFE_INTEGER ? '' : `at least ${json(n)}`)],
  ['maximum', (n) => (typeof n === 'number' && n >= Number.MAX_SAFE_INTEGER ? '' : `at most ${json(n)}`)],
  ['exclusiveMinimum', (n) => `more than ${json(n)}`],
  ['exclusiveMaximum', (n) => `less than ${json(n)}`],
  ['multipleOf', (n) => `a multiple of ${json(n)}`],
  ['minLength', (n) => `at least ${counted(n, 'character')}`],
  ['maxLength', (n) => `at most ${counted(n, 'character')}`],
  ['pattern', (text) => `pattern: ${typeof text === 'string' ? text : json(text)}`],
  ['format', (text) => `format: ${typeof text === 'string' ? text : json(text)}`],
  ['minItems', (n) => `at least ${counted(n, 'item')}`],
  ['maxItems', (n) => `at most ${counted(n, 'item')}`],
  ['uniqueItems', (is) => (is === true ? 'no two items alike' : '')],
  ['minProperties', (n) => `at least ${counted(n, 'property')}`],
  ['maxProperties', (n) => `at most ${counted(n, 'property')}`],
  ['const', (value) => `always ${json(value)}`],
  ['enum', (values) => `one of: ${Array.isArray(values) ? values.map((value: Json) => json(value)).join(', ') : json(values)}`],
  ['default', (value) => `default: ${json(value)}`],
  ['examples', (values) => `examples: ${Array.isArray(values) ? values.map((value: Json) => json(value)).join(', ') : json(values)}`],
  ['additionalProperties', (rule) => (rule === false ? 'no other properties' : isOpen(rule) ? '' : `other properties: ${json(rule)}`)],
  ['unevaluatedProperties', (rule) => (rule === false ? 'no other properties' : isOpen(rule) ? '' : `other properties: ${json(rule)}`)],
  ['unevaluatedItems', (rule) => (rule === false ? 'no other items' : isOpen(rule) ? '' : `other items: ${json(rule)}`)],
  ['propertyNames', (rule) => (isJsonObject(rule) && json(rule) === '{"type":"string"}' ? '' : `property names: ${json(rule)}`)],
  [
    'prefixItems',
    (rules) => `items in this order: ${Array.isArray(rules) ? rules.map((rule: Json) => kind(rule)).join(', ') : json(rules)}`,
  ],
  ['patternProperties', (rules) => (isEmpty(rules) ? '' : `properties by pattern: ${json(rules)}`)],
  ['not', (rule) => `not: ${json(rule)}`],
  ['contains', (rule) => `contains an item: ${json(rule)}`],
  ['minContains', (n) => `contains at least ${counted(n, 'of those')}`],
  ['maxContains', (n) => `contains at most ${counted(n, 'of those')}`],
  ['dependentRequired', (rules) => (isEmpty(rules) ? '' : `fields needed by others: ${json(rules)}`)],
  ['dependentSchemas', (rules) => (isEmpty(rules) ? '' : `if a field is given: ${json(rules)}`)],
  ['if', (rule) => `if: ${json(rule)}`],
  ['then', (rule) => `then: ${json(rule)}`],
  ['else', (rule) => `else: ${json(rule)}`],
  ['allOf', (rules) => `also: ${json(rules)}`],
  ['anyOf', (rules) => `one or more of: ${json(rules)}`],
  ['oneOf', (rules) => `exactly one of: ${json(rules)}`],
  ['contentEncoding', (text) => `encoding: ${typeof text === 'string' ? text : json(text)}`],
  ['contentMediaType', (text) => `content: ${typeof text === 'string' ? text : json(text)}`],
])

/** What a keyword says, in short fixed words; '' for one that says nothing to a model. */
export function saying(word: string, value: Json): string {
  return silent.has(word) ? '' : clip(sayings.get(word)?.(value) ?? '', maxOne)
}

/** A description with what the schema can't say behind it: 'How many. (at least 1; default: 3)'. */
export function described(description: string | undefined, said: readonly string[]): string | undefined {
  const different = [...new Set(said)].filter((one) => one !== '')
  if (different.length === 0) return description
  const rules = `(${clip(different.join('; '), maxAll)})`
  return description === undefined || description === '' ? rules : `${description} ${rules}`
}

function isOpen(rule: Json): boolean {
  return rule === true || isEmpty(rule)
}

function isEmpty(value: Json): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0
}

function counted(n: Json, thing: string): string {
  if (n === 1 || thing === 'of those') return `${json(n)} ${thing}`
  return `${json(n)} ${thing === 'property' ? 'properties' : `${thing}s`}`
}

function kind(rule: Json): string {
  const { title, type, const: only, enum: values }: JsonObject = isJsonObject(rule) ? rule : {}
  if (typeof title === 'string') return title
  if (only !== undefined) return json(only)
  if (Array.isArray(values)) return values.map((value: Json) => json(value)).join('|')
  return typeof type === 'string' ? type : Array.isArray(type) ? type.join('|') : 'anything'
}

/** Cut before it is written where it is large: a value of megabytes is not made into a text of 200 characters. */
function json(value: Json): string {
  return JSON.stringify(shallow(value, 6, { left: 60 }))
}

function shallow(value: Json, depth: number, budget: { left: number }): Json {
  if (typeof value === 'string') return value.length > maxOne ? clip(value, maxOne) : value
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0 || budget.left <= 0) return '…'
  if (Array.isArray(value)) return value.slice(0, Math.max(1, budget.left)).map((item: Json) => shallow(item, depth - 1, spend(budget)))
  const copy: [string, Json][] = []
  for (const key of Object.keys(value)) {
    if (spend(budget).left < 0) break
    copy.push([key, shallow((value as JsonObject)[key] ?? null, depth - 1, budget)])
  }
  return Object.fromEntries(copy)
}

function spend(budget: { left: number }): { left: number } {
  budget.left--
  return budget
}
