/** The URL that a text is; `undefined` when it is none. Why not `URL.canParse`: see `parsedUrl` of `core`, a room that this one does not enter. */
export function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
