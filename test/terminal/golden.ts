import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import { settled } from '../cli/fake-terminal.ts'

/** Set by `--mode accept`. */
const isAccepting = process.env['RONDO_ACCEPT'] === '1'

/** Compares a text with a file; in mode "accept" the text becomes the file. `how` is the command that accepts it. */
export function expectFile(file: URL, text: string, how: string): void {
  if (isAccepting) writeFileSync(file, text)
  if (!existsSync(file)) throw new Error(`${file.pathname} is missing. ${how} makes it; look at it before you commit it.`)
  expect(text, `What is shown has changed: ${how} accepts it.`).toBe(readFileSync(file, 'utf8'))
}

/** Compares a screen, or a part of one, with `golden/NAME.txt`. What differs from run to run is replaced first. */
export function expectGolden(name: string, screen: string): void {
  expectFile(new URL(`golden/${name}.txt`, import.meta.url), settledScreen(screen), 'npm run screens')
}

/** A screen with what differs from run to run replaced: ids, dates, durations at the end of a line, the model server's port. */
export function settledScreen(screen: string): string {
  return (
    settled(screen)
      .replace(/ *\b(\d+ ms|\d+\.\d s|\d+ min \d\d s)(?=(\{\/\})?$)/gm, ' TIME')
      .replace(/^In \/.*(?= · \/help)/gm, 'In FOLDER')
      // The login name of whoever runs the tests.
      .replace(/(: (?:approve|deny)) by \S+\.$/gm, '$1 by NAME.')
      .replace(/127\.0\.0\.1:\d+\b/g, '127.0.0.1:PORT')
      // The clock at the beginning of a row of the timeline, and the times in the footer of a run.
      .replace(/^\d\d:\d\d:\d\d(?= [●✓✗–])/gm, 'hh:mm:ss')
      .replace(/^( {2}models) .*(?= · tools)/gm, '$1 TIME')
      // Said of a call that takes its time, as any can on a busy machine.
      .replace(/^.* running …\n/gm, '')
  )
}
