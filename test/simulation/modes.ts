import type { RunEvent } from 'rondo'
import { isFact } from './check-events.ts'
import type { Violation } from './checking.ts'
import type { Script } from './generate.ts'
import { type Played, play } from './play.ts'

/**
 * Promise 14, S7.1-4: the same script, followed as a stream, run with listeners, and held with listeners, shows the same events. A stream
 * ends when its run ends or parks: what somebody who speaks to the session sets going before the next handle is there, only listeners hear.
 */
export async function playInAllModes(
  script: Script,
): Promise<{ readonly played: readonly Played[]; readonly violations: readonly Violation[] }> {
  const played = [await play(script, 'stream'), await play(script, 'run'), await play(script, 'listeners')]
  const [stream = [], run = [], listeners = []] = played.map((one, index) => sequence(one, index === 0))
  const violations: Violation[] = []
  const rule = 'P14 run, stream and listeners see the same'
  const apart = run.findIndex((event, place) => event.line !== listeners[place]?.line)
  if (apart >= 0 || run.length !== listeners.length)
    violations.push({ rule, what: `event ${apart}, run: ${run[apart]?.line}\nand listeners: ${listeners[apart]?.line}` })
  const missed = firstMissed(stream, run)
  if (missed !== undefined) violations.push({ rule, what: missed })
  return { played, violations }
}

interface Shown {
  readonly line: string
  readonly type: RunEvent['type']
  readonly fact: boolean
}

/** Where a stream lacks something that listeners heard while it had a reader, or has what they did not hear. */
function firstMissed(stream: readonly Shown[], heard: readonly Shown[]): string | undefined {
  let place = 0
  let unread = false
  for (const [at, { line, type }] of heard.entries()) {
    // A handle that joins in the middle of a message gets the rest of it.
    while (unread && stream[place]?.fact === false && stream[place]?.line !== line) place++
    if (stream[place]?.line === line) {
      unread = type === 'run.parked' || type === 'run.finished'
      place++
    } else if (!unread) return `run, event ${at}: ${line}\nand as a stream: ${stream[place]?.line}`
  }
  return place < stream.length ? `as a stream only: ${stream[place]?.line}` : undefined
}

function sequence(played: Played, asStream: boolean): readonly Shown[] {
  const events = asStream
    ? played.readers.filter(({ how }) => how === 'stream' || how === 'resume').flatMap((reader) => reader.events)
    : (played.heard[0]?.events ?? [])
  return merged(events).map((event) => ({
    line: JSON.stringify(isFact(event) ? event : { ...event, cursor: '' }),
    type: event.type,
    fact: isFact(event),
  }))
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
