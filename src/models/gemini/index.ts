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
  const host = location === 'global' ? 'aiplatform.googleapis.com' : `${String(location)}-aiplatform.googleapis.com`
  return `${given ?? `https://${host}/v1`}/projects/${String(project)}/locations/${String(location)}/publishers/google`
}
