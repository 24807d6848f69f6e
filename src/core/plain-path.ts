/**
 * A text as whatever opens it reads it, if it is a path: `\` is a separator, so are `%2f` and `%5c`, `%2e` is a dot; separators that follow one
 * another are one, `.` and `..` are resolved, a separator at the end is dropped. What leads out of the beginning of a relative path stays: `../x`.
 */
export function plainPath(text: string): string {
  return resolved(decoded(text).replaceAll('\\', '/'), () => true)
}

/** The same for a pattern: what a wildcard stands for may be several segments, so no `..` takes it away. */
export function plainPattern(pattern: string): string {
  const slashed = decoded(pattern).replace(/\\([*?])|\\\\?/g, (found, escaped) => (escaped === undefined ? '/' : found))
  return resolved(slashed, (segment) => !/[*?]/.test(segment))
}

/** Also what is encoded more than once. */
function decoded(text: string): string {
  return text.replace(/%(?:25)*2e/gi, '.').replace(/%(?:25)*(?:2f|5c)/gi, '/')
}

function resolved(text: string, mayBeLeft: (segment: string) => boolean): string {
  const root = text.startsWith('/') ? '/' : ''
  const kept: string[] = []
  for (const segment of text.split('/')) {
    if (segment === '' || segment === '.') continue
    const last = kept.at(-1)
    if (segment !== '..') kept.push(segment)
    else if (last !== undefined && last !== '..' && mayBeLeft(last)) kept.pop()
    else if (last !== undefined || root === '') kept.push(segment)
  }
  return root + kept.join('/')
}
