import { type AnyJson, json } from './reading.ts'

export interface BodyEvent {
  /** Of an event stream, its `event:` line. */
  readonly name?: string
  readonly data: AnyJson
}

export interface ReadBody {
  readonly events: readonly BodyEvent[]
  /** Whether `[DONE]` came. */
  readonly done: boolean
  /** Pieces that are no JSON: cut in their middle, or no data at all. */
  readonly rest: readonly string[]
}

/** All payloads of a body: of an event stream, of JSON lines, of a JSON array, or the one that it is. */
export function readBody(body: string): ReadBody {
  const text = body.replace(/^\ufeff/, '').trim()
  const whole = json(text)
  if (whole !== undefined) return { events: [whole].flat().map((data: AnyJson) => ({ data })), done: false, rest: [] }
  return /^(?:data|event|id|retry)?:/m.test(text) ? readEvents(text) : readLines(text)
}

function readEvents(text: string): ReadBody {
  const events: BodyEvent[] = []
  const rest: string[] = []
  let done = false
  for (const block of text.split(/\r\n\r\n|\n\n|\r\r/)) {
    const lines = block.split(/\r\n|\n|\r/)
    const name = lines
      .find((line) => line.startsWith('event:'))
      ?.slice(6)
      .trim()
    const data = lines.flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : [])).join('\n')
    // Some servers write an error as bare JSON between the events.
    const said = data === '' && block.trim().startsWith('{') ? block : data
    const value = json(said)
    if (said === '[DONE]') done = true
    else if (value !== undefined) events.push(name === undefined ? { data: value } : { name, data: value })
    else if (said.trim() !== '') rest.push(said)
  }
  return { events, done, rest }
}

function readLines(text: string): ReadBody {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const values = lines.map((line) => ({ line, data: json(line) }))
  return {
    events: values.flatMap(({ data }) => (data === undefined ? [] : [{ data }])),
    done: false,
    rest: values.flatMap(({ line, data }) => (data === undefined ? [line] : [])),
  }
}
