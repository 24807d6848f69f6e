/** What a body is to be taken for. `binary`: nothing that is read here. */
export type Kind = 'html' | 'text' | 'binary'

const textual =
  /^(?:text\/.+|application\/(?:json|xml|javascript|ecmascript|ld\+json|x-ndjson|jsonlines?|yaml|x-yaml|toml|graphql|sql|x-sh|.+\+(?:json|xml|yaml))|.+\+(?:json|xml))$/

export function kindOf(type: string | undefined): Kind {
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html'
  return type === undefined || textual.test(type) ? 'text' : 'binary'
}

/** Where the server names no type. */
export function looksLikeHtml(text: string): boolean {
  return /^\s*<(?:!doctype\s+html|html)\b/i.test(text.slice(0, 1_024))
}

/** Without parameters, lower case; `undefined` where the server says nothing. */
export function typeOf(contentType: string | undefined): string | undefined {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase()
  return type === '' ? undefined : type?.slice(0, 100)
}
