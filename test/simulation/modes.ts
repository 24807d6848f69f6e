import type { RunEvent } from 'rondo'
import { isFact } from './check-events.ts'
import type { Violation } from './checking.ts'
import type { Script } from './generate.ts'
import { type Played, play } from './play.ts'

/** Promise 14, S7.1-4: the same script, followed as a stream, run with listeners, and held with listeners, shows the same events. */
export async function playInAllModes(
  script: Script,
): Promise<{ readonly played: readonly Played[]; readonly violations: readonly Violation[] }> {
  const played = [await play(script, 'stream'), await play(script, 'run'), await play(script, 'listeners')]
  const [stream, ...others] = played.map((one, index) => sequence(one, index === 0))
  const violations: Violation[] = []
  for (const [index, other] of others.entries()) {
    const at = other.findIndex((line, place) => line !== stream?.[place])
    if (at < 0 && other.length === stream?.length) continue
    const place = at < 0 ? other.length : at
    const what = `${index === 0 ? 'run' : 'listeners'}, event ${place}: ${other[place]}\nand as a stream: ${stream?.[place]}`
    violations.push({ rule: 'P14 run, stream and listeners see the same', what })
  }
  return { played, violations }
}

function sequence(played: Played, asStream: boolean): readonly string[] {
  const events = asStream
    ? played.readers.filter(({ how }) => how === 'stream' || how === 'resume').flatMap((reader) => reader.events)
    : (played.heard[0]?.events ?? [])
  return merged(events).map((event) => JSON.stringify(isFact(event) ? event : { ...event, cursor: '' }))
}

/** A reader that lags gets adjacent deltas as one. */
function merged(events: readonly RunEvent[]): readonly RunEvent[] {
  const lines: RunEvent[] = []
  for (const event of events) {
    const last = lines.at(-1)
    const sort = last?.type === event.type && last.of === event.of
    if (sort && event.type === 'text.delta' && last.type === 'text.delta' && last.part === event.part)
      lines[lines.length - 1] = { ...event, at: last.at, text: last.text + event.text }
    else if (sort && event.type === 'reasoning.delta' && last.type === 'reasoning.delta' && last.part === event.part)
      lines[lines.length - 1] = { ...event, at: last.at, text: last.text + event.text }
    else if (sort && event.type === 'call.input.delta' && last.type === 'call.input.delta' && last.callId === event.callId)
      lines[lines.length - 1] = { ...event, at: last.at, text: last.text + event.text }
    else lines.push(event)
  }
  return lines
}
