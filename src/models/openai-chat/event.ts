import { isWire, textOrNothing, type Wire, wires } from '../wire.ts'

/** The error that an event is: under `error`, or, where nothing else of an answer is there, the event itself. */
export function errorIn(event: Wire): unknown {
  const { error } = event
  if (isError(error)) return error
  if (event['choices'] !== undefined || event['usage'] !== undefined) return undefined
  const coded = typeof event['message'] === 'string' && (event['code'] !== undefined || event['type'] !== undefined)
  return event['object'] === 'error' || event['detail'] !== undefined || coded ? event : undefined
}

/** Some servers write into every event that there is none: null, '', false, 0. */
export function isError(error: unknown): boolean {
  return Boolean(error)
}

/** Text, or a list of parts: text, thinking (Mistral). An object is an answer in JSON that the server has parsed already (Cloudflare). */
export function textsOf(content: unknown): ['text' | 'reasoning', string][] {
  if (typeof content === 'string') return [['text', content]]
  if (isWire(content)) return [['text', JSON.stringify(content)]]
  return wires(content).flatMap((part) => {
    const { thinking } = part
    const thoughts = [textOrNothing(thinking), ...wires(thinking).map((piece) => textOrNothing(piece['text']))]
    return [['text', textOrNothing(part['text'])], ...thoughts.map((thought): ['reasoning', string] => ['reasoning', thought])]
  })
}

export function messageOf(choice: Wire): Wire {
  const { delta, message } = choice
  if (isWire(message) && (!isWire(delta) || saysNothing(delta))) return message
  return isWire(delta) ? delta : {}
}

/** A delta that only says who speaks. */
export function saysNothing(delta: Wire): boolean {
  return Object.entries(delta).every(([name, value]) => name === 'role' || value === '' || value === null || value === undefined)
}

/** Of several choices (`n` in providerOptions) the first one is the answer. */
export function firstChoice(event: Wire): Wire | undefined {
  const choices = event['choices']
  if (!Array.isArray(choices)) return undefined
  for (const choice of choices) if (isWire(choice) && (choice['index'] ?? 0) === 0) return choice
  return undefined
}

const reasoningFields = ['reasoning_content', 'reasoning', 'reasoning_text'] as const

/** The field that carries reasoning; some servers send it under two names at once. */
export function reasoningField(message: Wire): string | undefined {
  for (const field of reasoningFields) if (textOrNothing(message[field]) !== '') return field
  return undefined
}

export function fieldIn(event: unknown, field: string): unknown {
  const choice = isWire(event) ? firstChoice(event) : undefined
  return choice === undefined ? undefined : messageOf(choice)[field]
}

export function contentIn(event: unknown): unknown {
  return fieldIn(event, 'content')
}

export function inputIn(event: unknown): unknown {
  return inputOf(wires(fieldIn(event, 'tool_calls'))[0])
}

/** The arguments in an entry of `tool_calls`, as text. */
export function inputOf(entry: Wire | undefined): string {
  const body = entry?.['function'] ?? entry
  return isWire(body) ? textOrNothing(body['arguments']) : ''
}
