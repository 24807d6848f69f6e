/** In the order in which they are looked for: what a provider's people ask for first. */
const names = ['x-request-id', 'request-id', 'apim-request-id', 'x-amzn-requestid', 'mistral-correlation-id']

/** The id that the server gave the request, by which its people find it in their logs. `undefined` where it tells none. */
export function requestIdOf(header: (name: string) => string | undefined): string | undefined {
  for (const name of names) {
    const id = header(name)?.trim()
    if (id !== undefined && id !== '') return id
  }
  return undefined
}
