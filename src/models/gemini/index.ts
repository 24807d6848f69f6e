import { RondoError } from '../../core/error.ts'
import type { Model } from '../../core/model.ts'
import { checkedURL, checkModelName, checkOptions, type MoreRules, objectRule } from '../http/check-options.ts'
import { HttpModel } from '../http/model.ts'
import { GeminiApi } from './api.ts'
import type { GeminiOptions } from './options.ts'

export type { GeminiOptions } from './options.ts'

/**
 * A model of Google's Gemini API, or of Vertex AI.
 *
 * @param model Its name: `gemini-2.5-flash`.
 * @throws `ConfigInvalid` for options that can't work.
 */
export function gemini(model: string, options: GeminiOptions = {}): Model {
  checkModelName(model, 'gemini', 'gemini-2.5-flash')
  checkOptions(options, 'gemini', moreRules)
  checkVertexKey(options)
  return new HttpModel(model, new GeminiApi(model, baseOf(options), options), options)
}

const moreRules: MoreRules = { vertex: objectRule("{ project: 'my-project', location: 'europe-west4' }") }

const geminiURL = 'https://generativelanguage.googleapis.com/v1beta'

function baseOf({ baseURL, vertex }: GeminiOptions): string {
  const given = baseURL === undefined ? undefined : checkedURL(baseURL, geminiURL)
  if (vertex === undefined) return given ?? geminiURL
  const { project, location = 'global' }: { project?: unknown; location?: unknown } = vertex
  // Both become parts of a host and a path.
  for (const [name, value] of Object.entries({ project, location }))
    if (typeof value !== 'string' || !/^[\w.:-]+$/.test(value))
      throw new RondoError(
        'ConfigInvalid',
        `gemini: vertex.${name} must be a name, as { project: 'my-project', location: 'europe-west4' }.`,
      )
  return `${given ?? `https://${vertexHost(String(location))}/v1`}/projects/${String(project)}/locations/${String(location)}/publishers/google`
}

/** https://docs.cloud.google.com/gemini-enterprise-agent-platform/resources/locations */
function vertexHost(location: string): string {
  if (location === 'global') return 'aiplatform.googleapis.com'
  return location === 'us' || location === 'eu' ? `aiplatform.${location}.rep.googleapis.com` : `${location}-aiplatform.googleapis.com`
}

/** No variable holds an access token: without one, Google's own address only refuses. */
function checkVertexKey({ vertex, apiKey, headers = {}, baseURL }: GeminiOptions): void {
  const hasKey = apiKey !== undefined || Object.keys(headers).some((name) => /^(?:authorization|x-goog-api-key)$/i.test(name))
  if (vertex === undefined || hasKey || baseURL !== undefined) return
  throw new RondoError(
    'ConfigInvalid',
    "gemini: Vertex AI needs an access token. Pass apiKey, a function best: () => the output of 'gcloud auth print-access-token', or of google-auth-library.",
  )
}
