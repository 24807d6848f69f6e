/** What `rondo.config.json` may hold, checked: each key is the flag of the same name. */
export interface ConfigValues {
  readonly model?: string
  readonly baseUrl?: string
  readonly tools?: readonly string[]
  readonly sandbox?: boolean
  readonly yes?: boolean
  readonly maxIterations?: number
  /** USD. */
  readonly maxCost?: number
  readonly allow?: readonly string[]
  readonly deny?: readonly string[]
  readonly fetchHosts?: readonly string[]
  readonly color?: boolean
  readonly instructions?: string
}

export type ConfigKey = keyof ConfigValues

/** What a value may be. Errors, the JSON schema and the check are all made from this. */
export type Shape =
  | { readonly is: 'switch' }
  | { readonly is: 'text'; readonly maxLength: number }
  | { readonly is: 'url' }
  | { readonly is: 'whole'; readonly from: number; readonly to: number }
  | { readonly is: 'amount' }
  | { readonly is: 'list'; readonly of: string; readonly pattern: string }

interface Key {
  readonly shape: Shape
  readonly description: string
}

/** Items of a list. */
export const maxItems = 200
export const maxItemLength = 1_000

/** What the command does where nothing is configured: what a project may not exceed. */
export const usual = { tools: ['all'], maxIterations: 50 } as const

export const keys: { readonly [key in ConfigKey]: Key } = {
  model: {
    shape: { is: 'text', maxLength: 200 },
    description:
      'The model: openai:NAME, ollama:NAME or offline; with baseUrl the name of a model of that server. A project may not move you to another provider.',
  },
  baseUrl: {
    shape: { is: 'url' },
    description: "A server with the same API as OpenAI's, as far as /chat/completions. Only in your own file.",
  },
  tools: {
    shape: { is: 'list', of: 'names of tools, or read, write, shell, fetch, all, none', pattern: '^[a-z][a-z0-9_]{0,63}$' },
    description:
      'The tools that the agent has: names, or the groups read, write, shell, fetch, all, none. A project may only take some away.',
  },
  sandbox: {
    shape: { is: 'switch' },
    description: 'Whether commands of the shell tool run in a sandbox. A project may only turn it on.',
  },
  yes: { shape: { is: 'switch' }, description: 'Whether every call is approved unasked. Only in your own file.' },
  maxIterations: {
    shape: { is: 'whole', from: 1, to: 1_000_000 },
    description: 'A run stops after so many model calls. A project may only lower it.',
  },
  maxCost: { shape: { is: 'amount' }, description: 'A run stops when it has cost so much, in USD. A project may only lower it.' },
  allow: {
    shape: { is: 'list', of: 'patterns of commands', pattern: '\\S' },
    description: 'Commands that the shell tool may run unasked, as patterns. Only in your own file.',
  },
  deny: {
    shape: { is: 'list', of: 'patterns of commands', pattern: '\\S' },
    description: 'Commands that the shell tool may never run, as patterns. Those of all files count.',
  },
  fetchHosts: {
    shape: { is: 'list', of: 'names of hosts', pattern: '^[^\\s/@]+$' },
    description: 'Hosts whose pages may be fetched unasked. Only in your own file.',
  },
  color: { shape: { is: 'switch' }, description: 'false: no colours. NO_COLOR and FORCE_COLOR go before it.' },
  instructions: {
    shape: { is: 'text', maxLength: 20_000 },
    description: 'Further instructions for the agent. Those of a project follow your own.',
  },
}

export const configKeys = Object.keys(keys) as readonly ConfigKey[]

/** The words that follow "must be". */
export function expected(shape: Shape): string {
  switch (shape.is) {
    case 'switch':
      return 'true or false'
    case 'text':
      return `a text of 1 to ${shape.maxLength.toLocaleString('en-US')} characters`
    case 'url':
      return 'an http or https URL, as "http://localhost:8080/v1"'
    case 'whole':
      return `a whole number from ${shape.from} to ${shape.to.toLocaleString('en-US')}`
    case 'amount':
      return 'a number of USD above 0'
    case 'list':
      return `a list of up to ${maxItems} ${shape.of}`
  }
}

export function fits(value: unknown, shape: Shape): boolean {
  switch (shape.is) {
    case 'switch':
      return typeof value === 'boolean'
    case 'text':
      // As JSON Schema counts: characters, not UTF-16 units.
      return typeof value === 'string' && value.trim() !== '' && [...value].length <= shape.maxLength
    case 'url':
      return typeof value === 'string' && /^https?:\/\/[^\s/]/.test(value) && URL.canParse(value)
    case 'whole':
      return Number.isInteger(value) && Number(value) >= shape.from && Number(value) <= shape.to
    case 'amount':
      return typeof value === 'number' && Number.isFinite(value) && value > 0
    case 'list':
      return Array.isArray(value) && value.length <= maxItems && value.every((item) => isItem(item, new RegExp(shape.pattern)))
  }
}

function isItem(item: unknown, pattern: RegExp): boolean {
  return typeof item === 'string' && [...item].length <= maxItemLength && pattern.test(item)
}
