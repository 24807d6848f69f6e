import { unreachable } from '../../core/error.ts'
import type { ModelRequest } from '../../core/model.ts'
import { calculate } from './arithmetic.ts'
import { compareSection } from './compare.ts'
import { countLinesSection, sizeSection } from './count-lines.ts'
import type { Desk, WantedCall } from './desk.ts'
import { openDesk } from './desk.ts'
import { countFilesSection, countFoldersSection, findSection, largestSection, listSection } from './folder.ts'
import { readSection } from './read.ts'
import { countMatchesSection, definitionSection, searchSection } from './search.ts'
import type { Intent } from './task.ts'
import type { ToolSpec } from './tools.ts'
import { callableTools, capabilities, hasTool } from './tools.ts'
import type { Situation } from './transcript.ts'
import { situationOf } from './transcript.ts'
import type { Section } from './wording.ts'
import { bullets, shortLine } from './wording.ts'

export type Thought = { readonly calls: readonly WantedCall[] } | { readonly answer: string }

const firstLine = '(offline model: no language model, a small planner over your words and tools)'

/** What to do next: pure, and from the request alone. */
export function think(request: ModelRequest): Thought {
  if (request.purpose === 'compaction') return { answer: compacted(request) }
  const situation = situationOf(request.messages)
  const tools = callableTools(request)
  if (situation.intents.length === 0) return { answer: sayWhatItCanDo(situation, tools) }
  const stopped = request.purpose !== 'main' || request.toolChoice === 'none'
  const { desk, wanted } = openDesk({ tools, calls: situation.calls, stopped })
  const sections = situation.intents.map((intent) => sectionFor(desk, intent))
  if (wanted.size > 0) return { calls: [...wanted.values()] }
  return { answer: composed(request, situation, sections) }
}

function sectionFor(desk: Desk, intent: Intent): Section {
  switch (intent.kind) {
    case 'list':
      return listSection(desk, intent)
    case 'find':
      return findSection(desk, intent)
    case 'count-files':
      return countFilesSection(desk, intent)
    case 'count-folders':
      return countFoldersSection(desk, intent)
    case 'count-lines':
      return countLinesSection(desk, intent)
    case 'size':
      return sizeSection(desk, intent)
    case 'count-matches':
      return countMatchesSection(desk, intent)
    case 'largest':
      return largestSection(desk, intent)
    case 'search':
      return searchSection(desk, intent)
    case 'definition':
      return definitionSection(desk, intent)
    case 'read':
      return readSection(desk, intent)
    case 'compare':
      return compareSection(desk, intent)
    case 'calculate':
      return calculateSection(intent.words)
    default:
      return unreachable(intent)
  }
}

function calculateSection(words: string): string {
  const result = calculate(words)
  return result.ok ? `${result.expression} = ${result.text}` : `'${words}' has no result that I can give: ${result.problem}.`
}

function composed(request: ModelRequest, situation: Situation, sections: readonly Section[]): string {
  const stopped = request.purpose === 'wrap-up' ? ['The run was stopped at a limit; this is what the results so far show.'] : []
  const structured = request.purpose === 'output' ? ['I can not fill in a schema, so this is plain text.'] : []
  // A wrap-up request may end with words of the engine, which are no task.
  const later = request.purpose === 'main' ? situation.later : []
  const unknown = [...situation.notUnderstood, ...later].map((words) => `'${shortLine(words)}'`)
  const note = unknown.length === 0 ? [] : [`I did not understand ${unknown.join(', ')}. "What can you do?" shows what I know.`]
  return [firstLine, ...stopped, ...structured, ...new Set(sections.filter((one) => one !== undefined)), ...note].join('\n\n')
}

const skills = [
  { does: 'list a folder', say: 'What is in this folder?', needs: 'list' },
  { does: 'find files', say: 'Find files named *.test.ts', needs: 'find' },
  { does: 'count files, lines or matches', say: 'How many TypeScript files are there?', needs: 'find' },
  { does: 'name the largest files', say: 'What are the five largest files?', needs: 'find' },
  { does: 'search text, or find where a name is defined', say: "Search for 'TODO' in src", needs: 'search' },
  { does: 'read, outline or summarise a file', say: 'Outline the README', needs: 'read' },
  { does: 'compare two files', say: 'Compare a.ts and b.ts', needs: 'read' },
  { does: 'do arithmetic', say: 'What is 12 * (3 + 4.5)?', needs: undefined },
] as const

function sayWhatItCanDo({ words }: Situation, tools: readonly ToolSpec[]): string {
  const items = skills.map(({ does, say, needs }) => {
    const missing = needs !== undefined && !hasTool(tools, needs)
    return `${does}: "${say}"${missing ? ` (needs a tool such as ${capabilities[needs].usual}, which I was not given)` : ''}`
  })
  const asked = words === '' || /^(?:help|what can you do)\b/i.test(words) ? '' : `'${shortLine(words)}' is not one of these.\n`
  return `${firstLine}\n\n${asked}I can do this, when you name the file or the words each time:\n${bullets(items)}`
}

/** A summary that keeps the user's words, so that an earlier task can be read in it. */
function compacted(request: ModelRequest): string {
  const said: string[] = []
  for (const message of request.messages) {
    for (const part of message.parts) {
      if (part.type === 'text' && message.role !== 'assistant') said.push(`${message.role}: ${shortLine(part.text)}`)
      if (part.type === 'tool-call')
        said.push(`called ${part.toolName} with ${shortLine(JSON.stringify(part.input))}: ${part.settlement?.outcome ?? 'no result'}`)
    }
  }
  return `${firstLine}\n\nWhat was said and called, without the results:\n${bullets(said, 200)}`
}
