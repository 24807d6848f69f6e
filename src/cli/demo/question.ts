import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, type Tools } from '../../index.ts'
import { offline } from '../../models/offline/index.ts'
import { readTools } from '../../tools/index.ts'
import { callLine } from '../call-line.ts'
import { count, plain } from '../text.ts'
import { type Act, blank, roomOf, type Stage, say, sayLines, type Verdict } from './act.ts'

const task = 'How many TODOs are there? Name the three largest files. Outline the README.'
/** A folder with a million files is not walked to its end. */
const maxDurationMs = 20_000
/** Of each paragraph of the answer. */
const maxLines = 9

/** Act 1: an agent answers about the folder that the demo is called in. */
export const question: Act = {
  title: 'A question about this folder',
  label: 'Offline planner, no language model; tools, files and answer are real.',
  needsFile: false,
  async play(stage) {
    const tools: Tools = readTools({ root: stage.terminal.cwd })
    const agent = new Agent({ name: 'rondo', model: offline(), tools, store: stage.store })
    say(stage, `> ${task}`)
    blank(stage)
    const startedAt = stage.terminal.wall()
    const metadata = { folder: stage.terminal.cwd }
    const run = agent.stream(task, { session: 'question', limits: { maxDurationMs, onLimit: 'incomplete' }, metadata })
    for await (const event of run) if (event.type === 'call.settled') sayLines(stage, callLine(event, roomOf(stage)))
    const result = await run.result
    if (result.status !== 'completed') return { shown: false, text: unanswered(result.reason) }
    blank(stage)
    sayAnswer(stage, result.text)
    const used = count(new Set(result.calls.map(({ toolName }) => toolName)).size, 'tool')
    return lookedUp(stage, startedAt, result.text, `${count(result.calls.length, 'call')} of ${used}`)
  },
}

function unanswered(reason: string): string {
  if (reason !== 'timeout') return `It did not answer (${reason}).`
  return `It was stopped after ${maxDurationMs / 1_000} s: this folder is large. Try the demo in a smaller one.`
}

/** Without what the offline model says of itself: the label has said it. */
function sayAnswer(stage: Stage, answer: string): void {
  const [, ...paragraphs] = plain(answer).split('\n\n')
  for (const [index, paragraph] of paragraphs.entries()) {
    if (index > 0) blank(stage)
    const lines = paragraph.split('\n')
    for (const line of lines.slice(0, maxLines)) say(stage, line)
    if (lines.length > maxLines) say(stage, `… and ${count(lines.length - maxLines, 'line')} more`)
  }
}

/** Looks up each file that the answer gives a size for. */
function lookedUp({ terminal }: Stage, startedAt: number, answer: string, effort: string): Verdict {
  const named = [...answer.matchAll(/^\d+\. (.+): (\d+) bytes$/gm)].map(([, path = '', size]) => ({ path, size: Number(size) }))
  if (named.length === 0) {
    const isEmpty = /^There are 0 files /m.test(answer)
    return { shown: isEmpty, text: `${effort}. ${isEmpty ? 'There is no file here, and it names none.' : 'The answer names no file.'}` }
  }
  const differing = named.flatMap(({ path, size }) => {
    const found = statSync(join(terminal.cwd, path), { throwIfNoEntry: false })
    return found?.size === size ? [] : [found?.mtimeMs ?? 0]
  })
  // The journal of this very act may lie here. Some file systems know whole seconds only.
  const written = differing.filter((at) => at >= Math.floor(startedAt / 1_000) * 1_000).length
  const since = written === 0 ? '' : `; ${count(written, 'other was', 'others were')} written to meanwhile`
  const right = named.length - differing.length
  const text = `${effort}. Looked up again: ${right} of ${count(named.length, 'file')} have the size that the answer says${since}.`
  return { shown: written === differing.length, text }
}
