import type { Tool } from '../../core/tool.ts'
import type { ReplyForm } from './history.ts'
import { allowed, type ReplyParts } from './schema.ts'

/** What stands behind the instructions: how to reply, the tools, and what is allowed now, which changes most often and so stands last. */
export function replyInstructions(instructions: string, parts: ReplyParts, { calls }: ReplyForm): string {
  const { tools, toolChoice, outputSchema, thoughts } = parts
  const thought = thoughts ? '"thought":"<your reasoning, short>",' : ''
  const call = '{"name":"<tool>","input":{<arguments>}}'
  const one = calls === 'list' ? `{${thought}"tool_calls":[${call}]}` : `{${thought}"tool_call":${call}}`
  const several = `{${thought}"tool_calls":[${call},${call}]}`
  const answer = `{${thought}"response":${outputSchema === undefined ? '"<your answer>"' : '<your answer, JSON that fits the schema below>'}}`
  const sections = [
    instructions,
    tools.length === 0
      ? `# How to reply\n\nReply with one JSON object and nothing else, no code fence around it:\n${answer}`
      : `# How to reply\n\nReply with one JSON object and nothing else, no code fence around it. It is one of these.\nTo call a tool:\n${one}\n` +
        `To call several tools at once:\n${several}\nTo answer the user:\n${answer}\n` +
        'The results of your calls come in the next message, by their ids. Never write results yourself, and do not answer before you have those that you need.',
    outputSchema === undefined ? '' : `The JSON Schema of your answer:\n${JSON.stringify(outputSchema)}`,
    tools.length === 0 ? '' : `# Tools\n\n${tools.map(toolText).join('\n\n')}`,
    choiceText(parts, allowed(tools, toolChoice)),
  ]
  return sections.filter((text) => text !== '').join('\n\n')
}

function toolText({ name, description, inputJsonSchema }: Tool): string {
  const about = description.trim() === '' ? '' : `${description}\n`
  return `## ${name}\n${about}JSON Schema of its input: ${JSON.stringify(inputJsonSchema)}`
}

function choiceText({ tools, toolChoice }: ReplyParts, left: readonly Tool[]): string {
  if (tools.length === 0 || toolChoice === 'auto') return ''
  if (toolChoice === 'none' || left.length === 0) return 'Now you must answer: do not call a tool.'
  if (toolChoice === 'required') return 'Now you must call a tool: do not answer yet.'
  return `Now you must call the tool ${toolChoice.tool}: do not answer yet.`
}
