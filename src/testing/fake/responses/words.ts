import { openaiErrors } from '../openai.ts'
import type { Words } from '../scripted.ts'

/** How the Responses API says a script means. It knows the first six ends; the others are what servers make up. */
export const responsesWords: Words = {
  finish: {
    stop: 'completed',
    'tool-calls': 'completed',
    length: 'max_output_tokens',
    'content-filter': 'content_filter',
    refusal: 'completed',
    'pause-turn': 'pause_turn',
    error: 'failed',
    other: 'something_else',
  },
  refusalField: true,
  errors: { ...openaiErrors, ModelServerError: { status: 500, type: 'server_error', code: 'server_error' } },
  errorBody: (message, { type, code }) => ({ type: 'error', error: { type, code, message, param: null } }),
  errorEvent: 'error',
}
