import type { Words } from '../scripted.ts'

/** How Ollama says what a script means. It knows two reasons of an end; the others are what servers make up. */
export const ollamaWords: Words = {
  finish: {
    stop: 'stop',
    'tool-calls': 'stop',
    length: 'length',
    'content-filter': 'content_filter',
    refusal: 'refusal',
    'pause-turn': 'pause_turn',
    error: 'error',
    other: 'unload',
  },
  refusalField: false,
  /** An error is a text and nothing else: `code` is how it begins. */
  errors: {
    ModelRateLimited: { status: 429, type: 'error', code: 'too many requests' },
    ModelQuotaExceeded: { status: 402, type: 'error', code: 'out of credits' },
    ModelAuthError: { status: 401, type: 'error', code: 'invalid api key' },
    ModelBadRequest: { status: 400, type: 'error', code: null },
    ModelContextOverflow: { status: 400, type: 'error', code: 'prompt too long; exceeded max context length by 204 tokens' },
    ModelContentBlocked: { status: 400, type: 'error', code: 'the prompt was flagged' },
    ModelServerError: { status: 500, type: 'error', code: null },
    ModelTimeout: { status: 504, type: 'error', code: null },
  },
  errorBody: (message, { code }) => ({ error: code === null ? message : `${code}: ${message}` }),
}
