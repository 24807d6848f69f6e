/**
 * A word of a command line that is being typed, without its quotes, as bash and fish have them. Nothing is expanded: `$(…)` stays what it is. A quote that is still open is
 * closed.
 */
export function unquoted(word: string): string {
  let text = ''
  let quote = ''
  for (let at = 0; at < word.length; at++) {
    const character = word.charAt(at)
    const next = word.charAt(at + 1)
    if (quote === "'") {
      if (character === "'") quote = ''
      else text += character
    } else if (character === '\\' && (quote === '' || '"\\$`'.includes(next))) {
      text += next
      at++
    } else if (character === quote) quote = ''
    else if (quote === '' && (character === '"' || character === "'")) quote = character
    else text += character
  }
  return text
}
