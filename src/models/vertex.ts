import { RondoError } from '../core/error.ts'

/** A project's models in one location of Vertex AI. */
export interface VertexPlace {
  readonly project: string
  readonly location: string
}

const forms = { project: /^[a-z0-9][\w.:-]*$/i, location: /^[a-z0-9][a-z0-9-]*$/i } as const

/**
 * Throws `ConfigInvalid` for what is no name: both become parts of a URL, and the token goes where that leads.
 *
 * @param prefix What stands before the names in the message: 'gemini: vertex.'.
 */
export function checkVertexPlace(place: { readonly [name in keyof VertexPlace]: unknown }, prefix: string): asserts place is VertexPlace {
  for (const name of ['project', 'location'] as const) {
    const value = place[name]
    if (typeof value !== 'string' || !forms[name].test(value))
      throw new RondoError('ConfigInvalid', `${prefix}${name} must be a name, as { project: 'my-project', location: 'europe-west4' }.`)
  }
}

/** What stands behind the version in a publisher's URLs. */
export function vertexPath({ project, location }: VertexPlace, publisher: string): string {
  return `/projects/${project}/locations/${location}/publishers/${publisher}`
}

/** The world, a part of it, a region: https://docs.cloud.google.com/gemini-enterprise-agent-platform/resources/locations */
export function vertexBase(location: string): string {
  if (location === 'global') return 'https://aiplatform.googleapis.com/v1'
  const host = location.includes('-') ? `${location}-aiplatform.googleapis.com` : `aiplatform.${location}.rep.googleapis.com`
  return `https://${host}/v1`
}
