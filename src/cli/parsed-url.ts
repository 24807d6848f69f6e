/** The URL that a text is; `undefined` when it is none. Why not `URL.canParse`: see `parsedUrl` of `core`, a room that this one does not enter. */
export function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/** Whether it can be asked over the network: `localhost:8080` is a URL too, of the scheme `localhost`. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\//.test(text) && parsedUrl(text) !== undefined
}
