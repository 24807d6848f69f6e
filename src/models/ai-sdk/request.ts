import { RondoError } from '../../core/error.ts'
import { isJsonObject, type Json } from '../../core/json.ts'
import type { ModelRequest } from '../../core/model.ts'
import { wellFormed } from '../../core/text.ts'
import type { ProviderTool, Tool } from '../../core/tool.ts'
import { safeText } from '../safe-text.ts'
import { looseOptions, outputSchemaOf } from './output-schema.ts'
import { fieldsOf, providerFields } from './saved.ts'
import type { ProviderFields, SpecProviderTool, SpecSettings, SpecTool, SpecToolChoice } from './spec.ts'

export interface RequestOptions {
  readonly headers: { readonly [name: string]: string } | undefined
  /** Under which names the package is told not to ask for the strict form of an output schema. None: it does not ask for it by itself. */
  readonly strictNames: readonly string[]
  /**
   * Its package leaves the tools out where none may be called, and its API refuses a history with calls then. So a request that closes a run
   * says `auto` there: a call that comes all the same is skipped.
   */
  readonly needsTools: boolean
}

/** What of a request is neither message nor tool and the same in all versions. */
export function settingsOf(request: ModelRequest, { headers, strictNames, needsTools }: RequestOptions): SpecSettings {
  const { settings, tools, purpose } = request
  const toolChoice = needsTools && purpose !== 'main' ? 'auto' : request.toolChoice
  const { maxOutputTokens, temperature, topP, seed, stop, providerOptions } = settings
  const output = request.outputSchema === undefined ? undefined : outputSchemaOf(request.outputSchema)
  const loose = output?.isStrict === false ? looseOptions(strictNames, providerOptions) : {}
  const options = providerOptions === undefined ? loose : merged(loose, providerFields(providerOptions))
  return {
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(seed === undefined ? {} : { seed }),
    ...(stop === undefined ? {} : { stopSequences: [...stop] }),
    ...(output === undefined ? {} : { responseFormat: { type: 'json', schema: output.schema } }),
    ...(tools.length === 0 || toolChoice === 'auto' ? {} : { toolChoice: choiceOf(toolChoice) }),
    ...(Object.keys(options).length === 0 ? {} : { providerOptions: options }),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
  }
}

/** The fields of both, provider by provider; the latter win. */
function merged(first: ProviderFields, second: ProviderFields): ProviderFields {
  const both = { ...first }
  for (const [provider, fields] of Object.entries(second)) both[provider] = { ...both[provider], ...fields }
  return both
}

function choiceOf(choice: ModelRequest['toolChoice']): SpecToolChoice {
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.tool }
}

function schemaOf(schema: Json): object {
  return isJsonObject(schema) ? fieldsOf(schema) : { type: 'object' }
}

/** Tools of a model, in its version's words. What was made of a tool is kept. */
export class Tools<Type extends string> {
  readonly #provider: string
  readonly #type: Type
  readonly #kept = new WeakMap<Tool, SpecTool>()

  constructor(provider: string, type: Type) {
    this.#provider = provider
    this.#type = type
  }

  /**
   * A tool of the provider and a tool of ours of the same name are one: the provider knows what it is, and ours runs it (`bash`, `computer`).
   */
  of(tools: ModelRequest['tools']): { tools?: (SpecTool | SpecProviderTool<Type>)[] } {
    if (tools.length === 0) return {}
    const theirs = tools.flatMap((tool) => ('providerTool' in tool ? [this.#theirs(tool)] : []))
    const names = new Set(theirs.map(({ name }) => name))
    const ours = tools.flatMap((tool) => ('providerTool' in tool || names.has(tool.name) ? [] : [this.#ours(tool)]))
    return { tools: [...ours, ...theirs] }
  }

  #ours(tool: Tool): SpecTool {
    const kept = this.#kept.get(tool)
    if (kept !== undefined && kept.description === tool.description) return { ...kept }
    const { name, description, inputJsonSchema } = tool
    const made: SpecTool = { type: 'function', name, description: wellFormed(description), inputSchema: schemaOf(inputJsonSchema) }
    this.#kept.set(tool, made)
    return { ...made }
  }

  #theirs({ provider, providerTool }: ProviderTool): SpecProviderTool<Type> {
    if (!this.#provider.split('.').includes(provider) && this.#provider !== provider)
      throw new RondoError(
        'ConfigInvalid',
        `A tool of the provider '${provider}' can't be run by '${this.#provider}'. Leave it out, or use a model of its provider.`,
      )
    const { id, name, args } = isJsonObject(providerTool) ? providerTool : {}
    if (!isId(id) || typeof name !== 'string')
      throw new RondoError(
        'ConfigInvalid',
        `A tool of the provider '${provider}' must have an id and a name, as { id: 'anthropic.web_search_20250305', name: 'web_search', args: {} }, and is ${safeText(JSON.stringify(providerTool), 200)}.`,
      )
    return { type: this.#type, id, name, args: isJsonObject(args) ? fieldsOf(args) : {} }
  }
}

function isId(id: Json | undefined): id is `${string}.${string}` {
  return typeof id === 'string' && id.includes('.')
}
