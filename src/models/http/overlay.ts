import type { HttpOptions } from './options.ts'

/** The options of a server with what a model has of its own: field by field where an option has fields. */
export function overlaid<O extends HttpOptions & { readonly quirks?: object | undefined }>(server: O, model: O): O {
  return {
    ...merged(server, model),
    headers: merged(server.headers, model.headers),
    timeouts: merged(server.timeouts, model.timeouts),
    capabilities: merged(server.capabilities, model.capabilities),
    quirks: merged(server.quirks, model.quirks),
  }
}

/** The fields of both, the latter first. What is undefined was not given. */
function merged<X extends object>(...layers: readonly (X | undefined)[]): X {
  const given = layers.flatMap((layer) => Object.entries(layer ?? {})).filter(([, value]) => value !== undefined)
  return Object.assign({}, ...given.map(([name, value]) => ({ [name]: value })))
}
