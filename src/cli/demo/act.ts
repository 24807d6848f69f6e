import type { Store } from '../../index.ts'
import type { Terminal } from '../terminal.ts'
import { shorten, styled, wrapped } from '../text.ts'
import type { Crew } from './crew.ts'

/** One thing that the demo shows. It looks at what happened, and says itself whether that is what it claims. */
export interface Act {
  readonly title: string
  /** What in it is scripted and what is real. */
  readonly label: string
  /** Several processes take part: they meet in a file. */
  readonly needsFile: boolean
  play(stage: Stage): Promise<Verdict>
}

export interface Verdict {
  /** What the act claims was seen to happen. */
  readonly shown: boolean
  /** What was looked at, in a sentence. */
  readonly text: string
  /** Below it: a command to be copied, and what it is good for. */
  readonly command?: string
  readonly why?: string
}

/** The verdict on claims, each with whether it holds: all of them, or those that don't. */
export function judged(claims: readonly (readonly [claim: string, holds: boolean])[]): Verdict {
  const failed = claims.filter(([, holds]) => !holds)
  const listed = (failed.length === 0 ? claims : failed).map(([claim]) => claim).join('; ')
  return { shown: failed.length === 0, text: failed.length === 0 ? `${listed}.` : `Not as claimed: ${listed}.` }
}

/** Where an act is played. */
export interface Stage {
  readonly terminal: Terminal
  /** For what the acts leave behind: `sessions.db`, ledgers. */
  readonly folder: string
  /** Of that folder, or in memory where no file can be had. */
  readonly store: Store
  readonly crew: Crew
  /** Decides where act 2 kills. */
  readonly seed: number
}

const indent = '   '
const maxColumns = 100

/** A screen that is wider does not pull lines further apart; a pipe gets the lines of a usual screen. */
export function roomOf({ terminal }: Pick<Stage, 'terminal'>): { readonly color: boolean; readonly columns: number } {
  const { color, columns = 80 } = terminal.stdout
  return { color, columns: Math.min(columns, maxColumns) - indent.length }
}

/** A sentence of an act, in lines that fit; `text` is safe to show. */
export function say(stage: Pick<Stage, 'terminal'>, text: string): void {
  stage.terminal.stdout.write(wrapped(text, roomOf(stage).columns + indent.length, indent))
}

/** Lines that are laid out already, those of a call for example. */
export function sayLines({ terminal }: Pick<Stage, 'terminal'>, text: string): void {
  terminal.stdout.write(text.replace(/^(?=.)/gm, indent))
}

/** Rows of a list, each in one line: what is beyond the screen is cut. */
export function sayRows(stage: Pick<Stage, 'terminal'>, rows: readonly string[]): void {
  for (const row of rows) sayLines(stage, `${shorten(row, roomOf(stage).columns)}\n`)
}

export function sayVerdict(stage: Pick<Stage, 'terminal'>, { shown, text, command, why = '' }: Verdict): void {
  const { stdout } = stage.terminal
  const lines = wrapped(`${shown ? '✓' : '✗'} ${text}`, roomOf(stage).columns + indent.length, indent)
  stdout.write(`\n${styled(lines.trimEnd(), shown ? 'green' : 'red', stdout)}\n`)
  if (command !== undefined) stdout.write(`${indent}  ${styled(command, 'cyan', stdout)}  ${styled(why, 'dim', stdout)}\n`)
}

export function blank({ terminal }: Pick<Stage, 'terminal'>): void {
  terminal.stdout.write('\n')
}
