import { RondoError } from '../core/error.ts'

/** Which names of tools an API takes. */
export interface ToolNameRules {
  /** Fits one character that may stand anywhere in a name. */
  readonly character: RegExp
  /** Whether a name has to begin with a letter or `_`. */
  readonly beginsWithLetter: boolean
  readonly maxLength: number
}

/** OpenAI, Anthropic, Mistral and nearly all others: `^[a-zA-Z0-9_-]{1,64}$`. Agents refuse tools with other names. */
export const commonToolNames: ToolNameRules = { character: /[a-zA-Z0-9_-]/, beginsWithLetter: false, maxLength: 64 }

/** Gemini (https://ai.google.dev/api/caching#FunctionDeclaration). */
export const geminiToolNames: ToolNameRules = { character: /[a-zA-Z0-9_.-]/, beginsWithLetter: true, maxLength: 64 }

/**
 * A name as an API takes it, for the calls of a history: a model may have called a tool that there is not, by a name that no API takes back. A legal
 * name stays as it is. Of others the illegal characters become `_`, and a mark made of the whole name stands at the end, so that different names stay
 * different, and the same name is always the same.
 */
export function legalToolName(name: string, rules: ToolNameRules = commonToolNames): string {
  if (isLegal(name, rules)) return name
  const mark = `_${fingerprint(name)}`
  const characters = Array.from(name.slice(0, rules.maxLength * 2), (one) => (one.length === 1 && rules.character.test(one) ? one : '_'))
  const begin = rules.beginsWithLetter && !/^[a-zA-Z_]/.test(characters[0] ?? '') ? '_' : ''
  return `${begin}${characters.join('')}`.slice(0, rules.maxLength - mark.length) + mark
}

function isLegal(name: string, { character, beginsWithLetter, maxLength }: ToolNameRules): boolean {
  if (name === '' || name.length > maxLength || (beginsWithLetter && !/^[a-zA-Z_]/.test(name))) return false
  for (let i = 0; i < name.length; i++) if (!character.test(name.charAt(i))) return false
  return true
}

/** FNV-1a, 32 bits, as 7 letters and digits: http://www.isthe.com/chongo/tech/comp/fnv/ */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    hash = Math.imul(hash ^ (unit & 0xff), 0x01000193)
    hash = Math.imul(hash ^ (unit >> 8), 0x01000193)
  }
  return (hash >>> 0).toString(36).padStart(7, '0')
}

/**
 * Throws `ConfigInvalid` when a request has more tools than a provider takes (B202): no tool is left out in silence. `limit` undefined: none is known.
 */
export function checkToolCount(tools: readonly unknown[], limit: number | undefined, provider: string): void {
  if (limit === undefined || tools.length <= limit) return
  throw new RondoError(
    'ConfigInvalid',
    `${tools.length} tools are given, and ${provider} takes at most ${limit} in one request. Give the agent fewer, or name the ones of a run in 'allowedTools'.`,
  )
}
