import { RondoError } from '../../core/error.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { ModelRequest } from '../../core/model.ts'
import type { ProviderTool } from '../../core/tool.ts'

/** What a frame is made of. Two requests of which these are the same have the same frame. */
export type FrameParts = Pick<ModelRequest, 'instructions' | 'tools' | 'toolChoice' | 'outputSchema' | 'settings'>

/**
 * What of a request is no message, made from its parts. The last one is kept, for nearly all requests of a run have the same: so tools and
 * schemas are converted and written once.
 */
export class Frames<F> {
  readonly #make: (parts: FrameParts) => F
  #last: { readonly parts: FrameParts; readonly frame: F } | undefined

  constructor(make: (parts: FrameParts) => F) {
    this.#make = make
  }

  of(request: ModelRequest): F {
    const last = this.#last
    if (last !== undefined && sameParts(last.parts, request)) return last.frame
    const { instructions, tools, toolChoice, outputSchema, settings } = request
    const parts = { instructions, tools, toolChoice, settings, ...(outputSchema === undefined ? {} : { outputSchema }) }
    const frame = this.#make(parts)
    this.#last = { parts, frame }
    return frame
  }
}

function sameParts(a: FrameParts, b: FrameParts): boolean {
  return (
    a.instructions === b.instructions &&
    a.tools === b.tools &&
    a.toolChoice === b.toolChoice &&
    a.outputSchema === b.outputSchema &&
    a.settings === b.settings
  )
}

/** `{ [name]: value }`, or nothing for a value that was not given. */
export function optional(name: string, value: Json | undefined): JsonObject {
  return value === undefined ? {} : { [name]: value }
}

/** A tool that the provider runs, as it is to be sent. Throws `ConfigInvalid` for one of another provider. */
export function hostedTool(tool: ProviderTool, provider: string): Json {
  if (tool.provider === provider) return tool.providerTool
  throw new RondoError(
    'ConfigInvalid',
    `A tool of the provider '${tool.provider}' can't be run by '${provider}'. Leave it out, or use a model of its provider.`,
  )
}

/**
 * What the user says to this provider; it goes over everything but what the adapter makes itself, and but 'none': a choice of tools of all
 * requests does not allow them where none may be called.
 *
 * @param own The names of what the adapter makes itself.
 */
export function providerFields(
  { settings, toolChoice }: Pick<FrameParts, 'settings' | 'toolChoice'>,
  provider: string,
  own: readonly string[],
): JsonObject {
  const fields = settings.providerOptions?.[provider]
  if (!isJsonObject(fields)) return {}
  const isTheirs = (name: string) => !own.includes(name) && (name !== 'tool_choice' || toolChoice !== 'none')
  return Object.fromEntries(Object.entries(fields).filter(([name]) => isTheirs(name)))
}
