import type { Json, JsonObject } from '../../core/json.ts'
import type { ModelRequest } from '../../core/model.ts'

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
