import type { Tool } from '../core/tool.ts'
import { jsonSchema } from '../json-schema/index.ts'
import { tool } from './tool.ts'

export interface AskUserInput {
  readonly question: string
  /** Answers to choose from; others are taken too. */
  readonly options?: readonly string[]
}

export interface AskUserOptions {
  /** Default `ask_user`. */
  readonly name?: string
  /** What the model is told. */
  readonly description?: string
}

/**
 * A tool by which the model asks the user: it has no `execute`. `agent.run()` parks, `pending` holds the question, and
 * `submitToolResult(callId, answer)` goes on with the answer, a text. In a headless run, where nobody answers, leave it out.
 */
export function askUser(options: AskUserOptions = {}): Tool<string, AskUserInput, AskUserInput, string> {
  const { name = 'ask_user', description = defaultDescription } = options
  return tool({ name, description, inputSchema, outputSchema, effect: 'read', asksUser: true })
}

const defaultDescription =
  'Asks the user a question and waits for the answer. Use it when you cannot go on without knowing what they want, and when nothing else can tell you.'

const inputSchema = jsonSchema<AskUserInput>({
  type: 'object',
  properties: {
    question: { type: 'string', minLength: 1, description: 'One question, in the language of the user.' },
    options: { type: 'array', items: { type: 'string' }, description: 'Answers to choose from, if there are few.' },
  },
  required: ['question'],
  additionalProperties: false,
})

const outputSchema = jsonSchema<string>({ type: 'string' })
