import type { ErrorFacts } from './error-body.ts'

/** How far too long an input was, as far as the server told (tokens). */
export interface Overflow {
  readonly used?: number
  readonly limit?: number
  /** How much too long, when only that was told. */
  readonly over?: number
  /** Another attempt is not hopeless: the server itself cut the input and stumbled over the rest. */
  readonly cutByServer?: boolean
}

/** Statuses of a server that has no time now: whatever they say of tokens, the input is not too long (field report B115). */
const busy: ReadonlySet<number | undefined> = new Set([429, 503, 529])

/** Codes and types that say it, without `_` and capitals. */
const overflowWords: readonly string[] = [
  'contextlengthexceeded', // OpenAI and many that follow it
  'exceedcontextsizeerror', // llama.cpp
  'contextexceeded', // ds4-server
  'requesttoolarge', // Anthropic, by bytes
  'modelcontextwindowexceeded', // z.ai, a finish reason
  'modelmaxprompttokensexceeded', // GitHub Copilot
]

/**
 * How servers word it; the first that fits gives the numbers. `#` stands for a number. More exact wordings of a server come first.
 * Reported wordings: field reports, appendix A.
 */
const overflowTexts: readonly RegExp[] = [
  // vLLM counts the input by tokens or by characters.
  'passed (?:(?<used>#) input tokens|# input characters) and requested # output tokens.*?context length is only (?<limit>#)',
  'maximum context length is (?<limit>#) tokens.{0,10}however, you requested # output tokens and your prompt contains at least (?<used>#)',
  'maximum context length is (?<limit>#) tokens and your request has (?<used>#) input tokens',
  'prompt \\(length (?<used>#)\\) is longer than the maximum model length of (?<limit>#)',
  // OpenAI, DeepSeek, OpenRouter
  'maximum context length is (?<limit>#) tokens.{0,10}however, (?:you requested (?:about )?|your messages resulted in )(?<used>#) tokens',
  // proxies, OpenRouter with Poolside
  "input length \\(?(?<used>#)\\)? exceeds (?:the )?(?:model's )?maximum (?:allowed input|context) length (?:of )?\\(?(?<limit>#)",
  'maximum context length of (?<limit>#) tokens. you requested a total of (?<used>#) tokens', // SGLang
  'maximum context length (?:is|of) (?<limit>#)',
  'exceeds the context window', // OpenAI
  'prompt is too long: (?<used>#), model maximum context length: (?<limit>#)', // Fireworks
  'prompt is too long(?:: (?<used>#) tokens > (?<limit>#) maximum)?', // Anthropic
  'input length and .?max_tokens.? exceed context limit(?:: (?<used>#) \\+ # > (?<limit>#))?', // Anthropic
  'input token count(?: \\((?<used>#)\\))? exceeds the maximum number of tokens allowed(?: \\((?<limit>#)\\))?', // Gemini
  'input token count is (?<used>#) but model only supports up to (?<limit>#)', // Vertex AI
  '(?:request \\((?<used>#) tokens\\) )?exceeds the available context size(?: \\((?<limit>#) tokens\\))?', // llama.cpp
  '(?:^|; )context size has been exceeded', // llama.cpp, in the middle of an answer
  'prompt has (?<used>#) tokens, but the configured context size is (?<limit>#)', // ds4-server
  'prompt tokens \\((?<used>#)\\) exceeds context size \\((?<limit>#)\\)', // ds4-server
  'prompt too long; exceeded (?:max )?context length(?: by (?<over>#) tokens)?', // Ollama
  'maximum prompt length is (?<limit>#)(?: but the request contains (?<used>#) tokens)?', // xAI
  'reduce the length of the messages', // Groq
  "input \\((?<used>#) tokens\\) is longer than the model's context length \\((?<limit>#) tokens\\)", // Together
  'prompt contains (?<used>#) tokens.*?too large for model with (?<limit>#) maximum context length', // Mistral
  'tokens to keep from the initial prompt is greater than the context length(?:.{0,20}?n_keep: (?<used>#).{0,20}?n_ctx: (?<limit>#))?', // LM Studio
  'trying to keep the first (?<used>#) tokens when .{0,20}?overflows.{0,60}?context length of only (?<limit>#)', // LM Studio
  'prompt token count of (?<used>#) exceeds the limit of (?<limit>#)', // GitHub Copilot
  'context window exceeds limit', // MiniMax
  'exceeded model token limit: (?<limit>#)(?: \\(requested: (?<used>#)\\))?', // Kimi
  'range of input length should be \\[1, (?<limit>#)\\]', // DashScope
  'prompt exceeds max length', // Z.ai
  'input is too long for requested model', // Bedrock
  'number of input tokens exceeds maximum length', // Bedrock with Nova
  'total number of tokens in the prompt cannot exceed (?<limit>#)(?: - received (?<used>#))?', // Cohere
  // Hugging Face's text-generation-inference; the names of its fields, in quotes, are gone.
  'tokens \\+\\s+must be <= (?<limit>#). given: (?<used>#)',
  'must have less than (?<limit>#) tokens. given: (?<used>#)',
].map((words) => new RegExp(words.replaceAll('#', '\\d[\\d,]*'), 'is'))

/** Ollama, after it has cut away the whole of the user's words (B112). */
const cutAway = /no user query found in messages/i

/**
 * Whether an error means that the input is too long for the model, found by type and text before the status (B119). Whether it is about
 * a rate has been looked at before.
 */
export function overflowIn(facts: ErrorFacts, status: number | undefined): Overflow | undefined {
  if (busy.has(status)) return undefined
  for (const text of overflowTexts) {
    const match = text.exec(facts.plain)
    if (match !== null) return { ...numbersOf(match.groups), ...fields(facts) }
  }
  if (overflowWords.some((word) => facts.words.has(word))) return fields(facts)
  if (cutAway.test(facts.plain)) return { cutByServer: true }
  return status === 413 ? {} : undefined
}

function numbersOf(groups: { readonly [name: string]: string | undefined } = {}): Overflow {
  const number = (name: string) => (groups[name] === undefined ? {} : { [name]: Number(groups[name].replaceAll(',', '')) })
  return { ...number('used'), ...number('limit'), ...number('over') }
}

function fields({ promptTokens, contextTokens }: ErrorFacts): Overflow {
  return {
    ...(promptTokens === undefined ? {} : { used: promptTokens }),
    ...(contextTokens === undefined ? {} : { limit: contextTokens }),
  }
}
