import { RondoError } from '../../core/error.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { ModelRequest, ModelSettings } from '../../core/model.ts'
import { wellFormed } from '../../core/text.ts'
import type { ProviderTool, Tool } from '../../core/tool.ts'
import { type FrameParts, Frames, hostedTool, optional, providerFields } from '../http/frames.ts'
import { convertSchema, geminiJsonSchemas } from '../schema/index.ts'
import { geminiToolNames, legalToolName } from '../tool-names.ts'
import type { Family } from './family.ts'

const encoder = new TextEncoder()

export interface GeminiFrame {
  /** What follows the contents of a request, from their closing bracket on. */
  readonly tail: Uint8Array
  /** Of tools that are called otherwise there: our name by that. */
  readonly toolNames: ReadonlyMap<string, string>
}

/** What of a request is no message. */
export class GeminiFrames {
  readonly #provider: string
  readonly #family: Family
  readonly #frames = new Frames((parts) => this.#make(parts))

  constructor(provider: string, family: Family) {
    this.#provider = provider
    this.#family = family
  }

  of(request: ModelRequest): GeminiFrame {
    return this.#frames.of(request)
  }

  #make(parts: FrameParts): GeminiFrame {
    const rest = JSON.stringify(this.#fields(parts)).slice(1)
    const names = parts.tools.flatMap((tool) => ('providerTool' in tool ? [] : [[nameOf(tool.name), tool.name] as const]))
    return {
      tail: encoder.encode(rest === '}' ? ']}' : `],${rest}`),
      toolNames: new Map(names.filter(([theirs, ours]) => theirs !== ours)),
    }
  }

  #fields(parts: FrameParts): JsonObject {
    const { instructions } = parts
    const { generationConfig: more, toolConfig: given, ...fields } = providerFields(parts, this.#provider, ['contents'])
    const config = { ...this.#config(parts), ...(isJsonObject(more) ? more : {}) }
    const { tools, toolConfig: ours } = this.#tools(parts)
    const toolConfig = mergedConfig(ours, given, parts.toolChoice)
    return {
      ...(instructions === '' ? {} : { systemInstruction: { parts: [{ text: wellFormed(instructions) }] } }),
      ...(tools.length === 0 ? {} : { tools }),
      ...(Object.keys(toolConfig).length === 0 ? {} : { toolConfig }),
      ...(Object.keys(config).length === 0 ? {} : { generationConfig: config }),
      ...fields,
    }
  }

  /** B186: older models take tools or a schema of the output. A turn that gives the output calls no tools, so there they are left out. */
  #tools({ tools, toolChoice, outputSchema }: FrameParts): { readonly tools: readonly Json[]; readonly toolConfig: JsonObject } {
    if (tools.length === 0) return noTools
    if (outputSchema !== undefined && !this.#family.schemaWithTools) {
      if (toolChoice === 'none') return noTools
      throw new RondoError(
        'ConfigInvalid',
        `This model of ${this.#provider} takes tools or a schema of the output, not both in one request. Leave policies.schemaDuringTools off, or use a newer model.`,
      )
    }
    const declared = tools.flatMap((tool) => ('providerTool' in tool ? [] : [declarationOf(tool)]))
    // The choice is of functions only: what the server runs is forbidden by leaving it out.
    const hosted =
      toolChoice === 'none'
        ? []
        : tools.flatMap((tool: Tool | ProviderTool) => ('providerTool' in tool ? [hostedTool(tool, this.#provider)] : []))
    const functions = declared.length === 0 ? [] : [{ functionDeclarations: declared }]
    const toolConfig = {
      ...(declared.length === 0 ? {} : choiceOf(toolChoice)),
      ...(declared.length > 0 && hosted.length > 0 && this.#mixes ? { includeServerSideToolInvocations: true } : {}),
    }
    if (functions.length + hosted.length === 0) return noTools
    return { tools: [...functions, ...hosted], toolConfig }
  }

  /** Vertex AI does not know the field. https://ai.google.dev/gemini-api/docs/generate-content/tool-combination */
  get #mixes(): boolean {
    return this.#family.serverToolsWithFunctions && this.#provider === 'gemini'
  }

  #config({ settings, outputSchema }: FrameParts): JsonObject {
    const { maxOutputTokens, temperature, topP, seed, stop, reasoning } = settings
    return {
      ...optional('maxOutputTokens', maxOutputTokens),
      ...optional('temperature', temperature),
      ...optional('topP', topP),
      ...optional('seed', seed),
      ...optional('stopSequences', stop === undefined ? undefined : [...stop]),
      ...(outputSchema === undefined
        ? {}
        : { responseMimeType: 'application/json', responseJsonSchema: convertSchema(outputSchema, geminiJsonSchemas).schema }),
      ...optional('thinkingConfig', this.#thinking(reasoning)),
    }
  }

  #thinking(reasoning: ModelSettings['reasoning']): Json | undefined {
    return reasoning === undefined ? undefined : this.#family.thinking[reasoning]
  }
}

const noTools = { tools: [], toolConfig: {} }

/** What the user says of calling goes beside the choice, and not in its place: arguments in pieces (`streamFunctionCallArguments`) are asked for there. */
function mergedConfig(ours: JsonObject, given: Json | undefined, choice: ModelRequest['toolChoice']): JsonObject {
  if (!isJsonObject(given)) return ours
  const name = 'functionCallingConfig'
  const [mine, more] = [ours[name], given[name]]
  if (!isJsonObject(mine)) return { ...ours, ...given }
  // What forbids all calls stays as it is.
  return { ...ours, ...given, [name]: choice === 'none' || !isJsonObject(more) ? mine : { ...mine, ...more } }
}

function declarationOf({ name, description, inputJsonSchema }: Tool): Json {
  const { schema, isEmpty } = convertSchema(inputJsonSchema, geminiJsonSchemas)
  return { name: nameOf(name), description: wellFormed(description), ...(isEmpty ? {} : { parametersJsonSchema: schema }) }
}

function choiceOf(choice: ModelRequest['toolChoice']): JsonObject {
  if (choice === 'auto') return {}
  const config =
    typeof choice === 'string' ? { mode: choice === 'none' ? 'NONE' : 'ANY' } : { mode: 'ANY', allowedFunctionNames: [nameOf(choice.tool)] }
  return { functionCallingConfig: config }
}

/** A name may not begin with a digit there (B026). */
function nameOf(name: string): string {
  return legalToolName(name, geminiToolNames)
}
