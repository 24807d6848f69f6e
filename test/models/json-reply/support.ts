import { Assembler } from '../../../src/core/assemble.ts'
import type { Message, Part } from '../../../src/core/message.ts'
import type { ModelDelta } from '../../../src/core/model.ts'
import { Parts } from '../../../src/models/json-reply/parts.ts'
import { ReplyReader } from '../../../src/models/json-reply/reader.ts'

export interface Read {
  readonly message: Message
  /** Text, `?` and a thought, `name(input)`, `name!` and what is wrong with the call. */
  readonly said: readonly string[]
  readonly deltas: readonly ModelDelta[]
}

/** What the reader makes of the pieces of a reply. */
export function read(...pieces: readonly string[]): Read {
  const assembler = new Assembler({ n: 1 })
  const deltas: ModelDelta[] = []
  const parts = new Parts(
    (delta) => {
      deltas.push(delta)
      assembler.push(delta)
    },
    { 'test/json-reply': { thought: true } },
  )
  const reader = new ReplyReader(parts)
  for (const piece of pieces) {
    reader.push(piece)
    parts.flush()
  }
  reader.end()
  parts.flush()
  const message = assembler.finish()
  return { message, said: message.parts.map(shown), deltas }
}

export function shown(part: Part): string {
  switch (part.type) {
    case 'text':
      return part.text
    case 'reasoning':
      return `?${part.text}`
    case 'tool-call': {
      const { toolName, inputError, input, providerCallId } = part
      if (inputError !== undefined) return `${toolName}! ${inputError}`
      return `${toolName}(${JSON.stringify(input)})${providerCallId === undefined ? '' : ` as ${providerCallId}`}`
    }
    default:
      return part.type
  }
}
