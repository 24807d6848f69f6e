import type { WireQuirks } from './reply.ts'

/** Bytes of a body that belong together: an event with all that stands before it. */
export interface Frame {
  readonly text: string
  /** `gapMs` is waited after it. */
  readonly isDelta: boolean
}

/** The first frame gets the byte order mark, the last one loses its end. */
export function trimmed(frames: readonly Frame[], { bom, openEnd }: WireQuirks): Frame[] {
  return frames.map(({ text, isDelta }, index) => {
    const ended = openEnd === true && index === frames.length - 1 ? text.replace(/[\r\n]+$/, '') : text
    return { text: bom === true && index === 0 ? `\ufeff${ended}` : ended, isDelta }
  })
}

/** An event of an event stream. */
export function eventText(value: unknown, { newline = '\n', comment, noSpace, multiline }: WireQuirks, event?: string): string {
  const json = typeof value === 'string' ? value : JSON.stringify(value, undefined, multiline === true ? 1 : 0)
  const before = [...(comment === undefined ? [] : [comment, '']), ...(event === undefined ? [] : [`event: ${event}`])]
  const data = json.split('\n').map((line) => `data:${noSpace === true ? '' : ' '}${line}`)
  return [...before, ...data, '', ''].join(newline)
}
