import type { Schema as Node, OutputUnit } from '@cfworker/json-schema'
import type { ValidationIssue } from '../core/schema.ts'
import type { Compiled } from './compile.ts'

/** How many issues one validation names; a last one says how many more there are. */
const issuesShown = 10
/** How many of the validator's findings are read. */
const unitsRead = 1_000

interface Issue {
  readonly message: string
  readonly path: readonly (string | number)[]
}

interface Checked {
  readonly compiled: Compiled
  readonly data: unknown
}

/**
 * Turns the validator's output units into issues that a model can act on. The units form a tree written as a list: one of a keyword
 * that applies subschemas is followed by those of its subschemas. Only leaves are told, and of a union only the branch that was meant.
 */
export function issuesOf(units: readonly OutputUnit[], compiled: Compiled, data: unknown): readonly ValidationIssue[] {
  const seen = new Set<string>()
  const issues = leaves(units.slice(0, unitsRead), { compiled, data }).filter(({ message, path }) => {
    const identity = JSON.stringify([path, message])
    return !seen.has(identity) && seen.add(identity)
  })
  if (issues.length <= issuesShown) return issues
  const least = units.length > unitsRead ? 'at least ' : ''
  return [...issues.slice(0, issuesShown), { message: `and ${least}${issues.length - issuesShown} more problems`, path: [] }]
}

function leaves(units: readonly OutputUnit[], checked: Checked): Issue[] {
  const issues: Issue[] = []
  for (let i = 0; i < units.length; i++) {
    const unit = units[i]
    if (unit === undefined) break
    const next = units[i + 1]
    if (unit.keyword === 'anyOf' || unit.keyword === 'oneOf' || unit.keyword === 'propertyNames' || unit.keyword === 'contains') {
      const inner = innerUnits(units, i)
      issues.push(...composite(unit, inner, checked))
      i += inner.length
    } else if (next?.keyword === 'false' && applies(unit.keyword)) {
      issues.push(forbidden(unit, next, checked))
      i++
    } else if (!(next !== undefined && applies(unit.keyword))) issues.push(leaf(unit, checked))
  }
  return issues
}

const applicators: ReadonlySet<string> = new Set([
  '$ref',
  'allOf',
  'if',
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'dependentSchemas',
])

function applies(keyword: string): boolean {
  return applicators.has(keyword)
}

/** The units of the subschemas of `units[at]`. A `false` schema has no keyword location of its own: it belongs to the unit before it. */
function innerUnits(units: readonly OutputUnit[], at: number): OutputUnit[] {
  const outer = units[at]?.keywordLocation ?? ''
  let end = at + 1
  for (let unit = units[end]; unit !== undefined; unit = units[++end])
    if (unit.keyword !== 'false' && !unit.keywordLocation.startsWith(`${outer}/`)) break
  return units.slice(at + 1, end)
}

function composite(unit: OutputUnit, inner: readonly OutputUnit[], checked: Checked): Issue[] {
  const path = pathOf(unit.instanceLocation, checked.data)
  if (unit.keyword === 'contains') return [{ message: 'expected at least one item that fits the schema in contains', path }]
  if (unit.keyword === 'propertyNames') {
    const name = /^Property name "(.*)" does not match schema\.$/s.exec(unit.error)?.[1] ?? ''
    const [why] = inner.map((one) => leafMessage(one, schemaAt(one.keywordLocation, checked.compiled), name))
    return [{ message: `property name is not allowed${why === undefined ? '' : `: ${why}`}`, path: [...path, name] }]
  }
  const matches = /\((\d+) matches\)/.exec(unit.error)?.[1]
  if (matches !== undefined && matches !== '0')
    return [{ message: `fits ${matches} of the alternatives in oneOf; exactly one is allowed`, path }]
  return unionIssues(path, branchesOf(unit, inner), checked)
}

/** The units of a union by branch. */
function branchesOf(union: OutputUnit, inner: readonly OutputUnit[]): OutputUnit[][] {
  const branches = new Map<string, OutputUnit[]>()
  let name = ''
  for (const unit of inner) {
    if (unit.keyword !== 'false') name = unit.keywordLocation.slice(union.keywordLocation.length + 1).split('/')[0] ?? ''
    branches.set(name, [...(branches.get(name) ?? []), unit])
  }
  return [...branches.values()]
}

/**
 * A branch is out if the value has another type, or a `const` or `enum` property (a discriminator) another value. If one branch is
 * left, its issues are told; else what all branches expected.
 */
function unionIssues(path: readonly (string | number)[], branches: readonly OutputUnit[][], checked: Checked): Issue[] {
  const told = branches.map((units) => ({ issues: leaves(units, checked), out: rejections(units, path.length, checked) }))
  const meant = told.filter(({ out }) => out.length === 0)
  const [only] = meant
  if (only !== undefined && meant.length === 1) return only.issues
  const out = (meant.length === 0 ? told : meant).flatMap((branch) => (branch.out.length > 0 ? branch.out : branch.issues.slice(0, 1)))
  const [first] = out
  if (first !== undefined && out.every((issue) => JSON.stringify(issue.path) === JSON.stringify(first.path) && isExpectation(issue))) {
    const expected = new Set(out.map(({ message }) => message.slice('expected '.length, message.lastIndexOf(', received '))))
    return [
      {
        message: `expected ${[...expected].join(' or ')}${first.message.slice(first.message.lastIndexOf(', received '))}`,
        path: first.path,
      },
    ]
  }
  const reasons = out
    .slice(0, 3)
    .map(({ path: at, message }) => (at.length > path.length ? `${at.slice(path.length).join('.')}: ${message}` : message))
  return [{ message: `fits none of ${branches.length} alternatives (${reasons.join('; ')})`, path }]
}

function isExpectation({ message }: Issue): boolean {
  return message.startsWith('expected ') && message.includes(', received ')
}

function rejections(units: readonly OutputUnit[], depth: number, checked: Checked): Issue[] {
  return units
    .filter(({ keyword, instanceLocation }) => {
      const below = instanceLocation.split('/').length - 1 - depth
      return (keyword === 'type' && below === 0) || ((keyword === 'const' || keyword === 'enum') && below <= 1)
    })
    .map((unit) => leaf(unit, checked))
}

/** A property or item that a `false` schema forbids. */
function forbidden(unit: OutputUnit, atFalse: OutputUnit, checked: Checked): Issue {
  const path = pathOf(atFalse.instanceLocation, checked.data)
  if (!unit.keyword.endsWith('Properties') && unit.keyword !== 'properties') return { message: 'nothing is allowed here', path }
  const known = Object.keys(schemaAt(unit.keywordLocation, checked.compiled)?.properties ?? {})
  const list = known.length > 20 ? `${known.slice(0, 20).join(', ')}, …` : known.join(', ')
  return {
    message: `unexpected property; ${known.length === 0 ? 'none are' : `only these are`} allowed${list === '' ? '' : `: ${list}`}`,
    path,
  }
}

function leaf(unit: OutputUnit, checked: Checked): Issue {
  const path = pathOf(unit.instanceLocation, checked.data)
  const schema = schemaAt(unit.keywordLocation, checked.compiled)
  if (unit.keyword === 'required') {
    const key = /required property "(.*)"\.$/s.exec(unit.error)?.[1] ?? ''
    const property: Node | boolean | undefined = schema?.properties?.[key]
    const type = typeof property === 'object' && property.type !== undefined ? `expected ${typeWords(property.type)}, ` : ''
    return { message: `${type}received nothing: this property is required`, path: [...path, key] }
  }
  return { message: leafMessage(unit, schema, valueAt(path, checked.data)), path }
}

function leafMessage(unit: OutputUnit, schema: Node | undefined, value: unknown): string {
  const expected = schema === undefined ? undefined : expectation(unit.keyword, schema, value)
  if (expected !== undefined) return `expected ${expected}`
  if (unit.keyword === 'false') return 'nothing is allowed here'
  const text = unit.error.replace(/^Instance/, 'the value').replace(/\.$/, '')
  return text.charAt(0).toLowerCase() + text.slice(1)
}

function expectation(keyword: string, schema: Node, value: unknown): string | undefined {
  const size = typeof value === 'string' ? [...value].length : Array.isArray(value) ? value.length : Object.keys(Object(value)).length
  switch (keyword) {
    case 'type':
      return `${typeWords(schema.type)}, received ${typeof value === 'number' && schema.type === 'integer' ? value : typeWord(value)}`
    case 'const':
      return `${shown(schema.const)}, received ${shown(value)}`
    case 'enum':
      return `one of ${(schema.enum ?? []).slice(0, 20).map(shown).join(', ')}${(schema.enum ?? []).length > 20 ? ', …' : ''}, received ${shown(value)}`
    case 'minimum':
      return `a number >= ${schema.minimum}, received ${shown(value)}`
    case 'maximum':
      return `a number <= ${schema.maximum}, received ${shown(value)}`
    case 'exclusiveMinimum':
      return `a number > ${schema.exclusiveMinimum}, received ${shown(value)}`
    case 'exclusiveMaximum':
      return `a number < ${schema.exclusiveMaximum}, received ${shown(value)}`
    case 'multipleOf':
      return `a multiple of ${schema.multipleOf}, received ${shown(value)}`
    case 'minLength':
      return `at least ${schema.minLength} characters, received ${size}`
    case 'maxLength':
      return `at most ${schema.maxLength} characters, received ${size}`
    case 'minItems':
      return `at least ${schema.minItems} items, received ${size}`
    case 'maxItems':
      return `at most ${schema.maxItems} items, received ${size}`
    case 'minProperties':
      return `at least ${schema.minProperties} properties, received ${size}`
    case 'maxProperties':
      return `at most ${schema.maxProperties} properties, received ${size}`
    case 'pattern':
      return `text that matches /${schema.pattern}/, received ${shown(value)}`
    case 'format':
      return `text in the format ${schema.format}, received ${shown(value)}`
    case 'not':
      return `something that does not fit the schema in not, received ${shown(value)}`
    default:
      return undefined
  }
}

function typeWords(type: unknown): string {
  return Array.isArray(type) ? type.join(' or ') : String(type)
}

function typeWord(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** A scalar as JSON, cut to 60 characters; of anything else its type. */
function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) return typeWord(value)
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

/** The schema that holds the keyword at this place; the way there may lead through references. */
function schemaAt(keywordLocation: string, compiled: Compiled): Node | undefined {
  let at: unknown = compiled.root
  for (const step of pointerSteps(keywordLocation).slice(0, -1)) {
    const member: unknown = Object.entries(Object(at)).find(([key]) => key === step)?.[1]
    at = step === '$ref' && typeof member === 'string' ? compiled.lookup[member] : member
  }
  return isNode(at) ? at : undefined
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function pathOf(instanceLocation: string, data: unknown): (string | number)[] {
  const path: (string | number)[] = []
  let at = data
  for (const step of pointerSteps(instanceLocation)) {
    path.push(Array.isArray(at) ? Number(step) : step)
    at = valueAt(path.slice(-1), at)
  }
  return path
}

function valueAt(path: readonly (string | number)[], data: unknown): unknown {
  let at = data
  for (const key of path) at = typeof at === 'object' && at !== null ? Object.getOwnPropertyDescriptor(at, key)?.value : undefined
  return at
}

function pointerSteps(pointer: string): string[] {
  const steps = pointer.split('/').slice(1)
  return steps.map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
}
