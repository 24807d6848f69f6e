import { RondoError } from '../../core/error.ts'
import type { Model } from '../../core/model.ts'
import { checkedURL, checkModelName, checkOptions } from '../http/check-options.ts'
import { endpoint, HttpModel } from '../http/model.ts'
import { anObject, type Rules } from '../option-rules.ts'
import { checkVertexPlace, vertexBase, vertexPath } from '../vertex.ts'
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

const moreRules: Rules = { vertex: anObject("{ project: 'my-project', location: 'europe-west4' }") }

const geminiURL = 'https://generativelanguage.googleapis.com/v1beta'

function baseOf({ baseURL, vertex }: GeminiOptions): string {
  const given = baseURL === undefined ? undefined : checkedURL(baseURL, geminiURL)
  if (vertex === undefined) return given ?? geminiURL
  const { project, location = 'global' } = vertex
  const place = { project, location }
  checkVertexPlace(place, 'gemini: vertex.')
  return endpoint(given ?? vertexBase(location), vertexPath(place, 'google'))
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
