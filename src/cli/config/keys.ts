import type { ModelFacts } from '../../models/registry/index.ts'
import { modelsShape } from './model-shape.ts'
import type { Shape } from './shapes.ts'

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
  /** What is known of models, by `provider:id`. */
  readonly models?: { readonly [name: string]: ModelFacts }
}

export type ConfigKey = keyof ConfigValues

interface Key {
  readonly shape: Shape
  readonly description: string
}

/** What the command does where nothing is configured: what a project may not exceed. */
export const usual = { tools: ['all'], maxIterations: 50 } as const

export const keys: { readonly [key in ConfigKey]: Key } = {
  model: {
    shape: { is: 'text', maxLength: 200 },
    description:
      'The model: PROVIDER:NAME, as openai:gpt-5-mini, or offline; with baseUrl the name of a model of that server. A project may not move you to another provider.',
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
  models: {
    shape: modelsShape,
    description:
      'Windows, output limits, prices (USD for a million tokens), aliases and capabilities of models, by provider:name. They go over what rondo models shows. Only in your own file.',
  },
}

export const configKeys = Object.keys(keys) as readonly ConfigKey[]
