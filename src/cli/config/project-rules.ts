import { ollamaAddress } from '../../models/ollama/index.ts'
import { isOnThisMachine } from '../ollama.ts'
import { providerNamed } from '../providers/table.ts'
import { usualOf } from '../providers/usual.ts'
import type { Terminal } from '../terminal.ts'
import { type ConfigKey, type ConfigValues, configKeys, usual } from './keys.ts'
import { narrowed } from './tool-groups.ts'

/** A project's settings, less what it may not say. `ignored` names that, a setting each, with the reason where one is needed. */
export interface Heeded {
  readonly values: ConfigValues
  readonly ignored: readonly string[]
}

/**
 * A project's file comes with a repository that may be anybody's. It can make the agent stricter than the user has, and can say what is harmless; it can't
 * loosen anything, cost more, or send what is read to another place (decision 0025). `own` is what the user's files say.
 */
export function heeded(project: ConfigValues, own: ConfigValues, env: Terminal['env']): Heeded {
  const values: { [key in ConfigKey]?: unknown } = {}
  const ignored: string[] = []
  for (const key of configKeys) {
    if (project[key] === undefined) continue
    const { value, problem } = rules[key]({ project, own, env })
    if (value !== undefined) values[key] = value
    if (problem !== undefined) ignored.push(problem === '' ? key : `${key} (${problem})`)
  }
  return { values: values as ConfigValues, ignored }
}

interface Asked {
  readonly project: ConfigValues
  readonly own: ConfigValues
  readonly env: Terminal['env']
}

/** What becomes of a setting; a problem that is empty needs no words. */
interface Verdict {
  readonly value?: unknown
  readonly problem?: string
}

const never = (): Verdict => ({ problem: '' })

const rules: { readonly [key in ConfigKey]: (asked: Asked) => Verdict } = {
  baseUrl: never,
  yes: never,
  allow: never,
  fetchHosts: never,
  // A price of 0 would be a way round the user's maxCost.
  models: never,
  model({ project, own, env }) {
    const problem = whyElsewhere(project.model ?? '', own, env)
    return problem === undefined ? { value: project.model } : { problem }
  },
  tools({ project, own }) {
    const asked = project.tools ?? []
    const value = narrowed(asked, own.tools ?? usual.tools)
    const lost = asked.filter((name) => !value.includes(name))
    return lost.length === 0 ? { value } : { value, problem: lost.join(', ') }
  },
  sandbox: ({ project }) => (project.sandbox === true ? { value: true } : { problem: 'false' }),
  maxIterations: ({ project, own }) => lower(project.maxIterations, own.maxIterations ?? usual.maxIterations),
  maxCost: ({ project, own }) => lower(project.maxCost, own.maxCost ?? Number.POSITIVE_INFINITY),
  deny: ({ project }) => ({ value: project.deny }),
  color: ({ project }) => ({ value: project.color }),
  instructions: ({ project }) => ({ value: project.instructions }),
}

function lower(asked: number | undefined, most: number): Verdict {
  return asked === undefined || asked <= most ? { value: asked } : { problem: `above ${most.toLocaleString('en-US')}` }
}

/** Why a model that the project names would be asked at another place than the user's; `undefined` where it would not. */
function whyElsewhere(model: string, own: ConfigValues, env: Terminal['env']): string | undefined {
  if (model === 'offline') return undefined
  if (own.baseUrl !== undefined) return 'you have a baseUrl of your own'
  const provider = nameOf(model)
  const users = own.model === undefined ? undefined : nameOf(own.model)
  // A file of the repository would be opened.
  if (provider === 'llama-cpp') return 'a file to run is yours to name'
  if (provider === users) return undefined
  if (provider === 'ollama') {
    const address = ollamaAddress(env)
    return address === undefined || isOnThisMachine(address) ? undefined : 'OLLAMA_HOST is not on this machine'
  }
  if (users !== undefined) return `your own is ${users}`
  const usual = usualOf(env)?.provider.name ?? 'openai'
  return provider === usual ? undefined : `without a model of your own it may name one of ${usual} alone`
}

/** Of the provider; whoever is not known by it, by what stands there. */
function nameOf(model: string): string {
  const word = model.split(':', 1)[0] ?? ''
  return providerNamed(word)?.name ?? word
}
