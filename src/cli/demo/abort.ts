import { Agent, type Entry, type EntryOf, tool } from '../../index.ts'
import { jsonSchema } from '../../json-schema/index.ts'
import { type Act, judged, say, sayRows } from './act.ts'
import { journalOf } from './journal.ts'
import { script } from './script.ts'

const session = 'abort'
/** The tool is at work for this long (ms) before the abort. */
const letItWorkMs = 300
const tenMinutesMs = 600_000
/** The promise: what ignores an abort is cut within this time. */
const maxCutMs = 2_000

/** Act 4: a tool that waits and never looks at its signal. */
export const abort: Act = {
  title: 'A tool that ignores abort',
  label: 'Replies scripted, no language model; tool, abort and clock are real.',
  needsFile: false,
  async play(stage) {
    const { terminal, store } = stage
    const deaf = deafTool()
    const agent = new Agent({ name: 'deaf', model: script([[{ name: 'export_all', input: {} }], 'Done.']), tools: [deaf.tool], store })
    try {
      const run = agent.stream('Export everything.', { session })
      // A run that fails before it comes to its tool shows nothing, and is not waited for.
      await Promise.race([deaf.begun, run.result])
      await terminal.wait(letItWorkMs)
      say(stage, 'The tool export_all waits for ten minutes and never looks at its signal. While it does, the run is aborted.')
      const askedAt = terminal.now()
      const ended = run.abort('The user has left.').then(() => run.result)
      // One that is not cut would be waited for as long as its tool.
      const result = await Promise.race([ended, terminal.wait(2 * maxCutMs).then(() => undefined)])
      if (result === undefined)
        return {
          shown: false,
          text: `Not cut: ${exactly(2 * maxCutMs)} after the abort the run has not ended (the promise: ${exactly(maxCutMs)}).`,
        }
      const { status } = result
      const tookMs = terminal.now() - askedAt
      const journal = await journalOf(store, session)
      say(stage, `${exactly(tookMs)} later the run is ${status}. The journal says, in ms since the abort:`)
      sayRows(stage, sinceAbort(journal))
      return judged([
        [`Cut after ${exactly(tookMs)} (the promise: ${exactly(maxCutMs)})`, tookMs <= maxCutMs],
        ['the run is aborted', status === 'aborted'],
        ['the journal says what became of the call', outcome(journal) !== undefined],
        ['the tool still waits, and nobody waits for it', !deaf.isOver()],
      ])
    } finally {
      deaf.letGo()
    }
  },
}

/** It is async, as tools are: one that keeps the processor busy could be ended only with its process. */
function deafTool() {
  let begin = () => {}
  let letGo = () => {}
  let over = false
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const deaf = tool({
    name: 'export_all',
    description: 'Exports everything',
    inputSchema: jsonSchema<object>({ type: 'object' }),
    execute: () =>
      new Promise<string>((resolve) => {
        const timer = setTimeout(() => {
          over = true
          resolve('exported')
        }, tenMinutesMs)
        letGo = () => clearTimeout(timer)
        begin()
      }),
  })
  return { tool: deaf, begun, isOver: () => over, letGo: () => letGo() }
}

function outcome(journal: readonly Entry[]): EntryOf<'call.settled'>['data']['settlement']['outcome'] | undefined {
  return journal.find((entry) => entry.kind === 'call.settled')?.data.settlement.outcome
}

function exactly(ms: number): string {
  return `${Math.round(ms).toLocaleString('en-US')} ms`
}

/** What was written from the abort on. */
function sinceAbort(journal: readonly Entry[]): readonly string[] {
  const start = journal.find(({ kind }) => kind === 'control')
  if (start === undefined) return ['(no abort is on record)']
  return journal
    .filter(({ seq }) => seq >= start.seq)
    .map((entry) => `${(entry.at - start.at).toLocaleString('en-US').padStart(6)}  ${entry.kind.padEnd(12)}  ${factOf(entry)}`)
}

function factOf(entry: Entry): string {
  switch (entry.kind) {
    case 'control':
      return `${entry.data.action}: ${entry.data.reason ?? ''}`
    case 'call.settled': {
      const { settlement } = entry.data
      return settlement.outcome === 'unknown' ? 'unknown: a tool with effects may have had them' : settlement.outcome
    }
    case 'run.finished':
      return entry.data.reason
    default:
      return ''
  }
}
