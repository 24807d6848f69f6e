import { openaiErrors } from '../openai.ts'
import type { Words } from '../scripted.ts'

/** How Chat Completions says what a script means. It knows the first four finish reasons; the others are what servers make up. */
export const chatWords: Words = {
  finish: {
    stop: 'stop',
    'tool-calls': 'tool_calls',
    length: 'length',
    'content-filter': 'content_filter',
    refusal: 'stop',
    'pause-turn': 'pause_turn',
    error: 'error',
    other: 'other',
  },
  refusalField: true,
  errors: openaiErrors,
  errorBody: (message, { type, code }) => ({ error: { message, param: null, type, code } }),
}
