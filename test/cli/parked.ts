import { join } from 'node:path'
import { Agent, type AgentOptions, type Json, type Tools, tool } from '../../src/index.ts'
import { jsonSchema } from '../../src/json-schema/index.ts'
import { sqlite } from '../../src/stores/sqlite.ts'
import { scripted } from '../../src/testing/index.ts'
import { newFolder } from './folders.ts'

const inputSchema = jsonSchema<{ path: string }>({ type: 'object', properties: { path: { type: 'string' } }, required: ['path'] })

/** A tool of the command's name that asks first. */
const asking = tool({
  name: 'read_file',
  description: 'Reads a file',
  inputSchema,
  effect: 'read',
  needsApproval: ({ path }) => ({ risk: 'high', reason: `secrets in ${path}` }),
  execute: () => 'read',
})

/** A tool of the command's name whose result comes from outside. */
const outside = tool({ name: 'search_text', description: 'Searches', inputSchema })

/** A tool that the command does not have. */
const pay = tool({ name: 'pay', description: 'Pays', inputSchema, needsApproval: true, execute: () => 'paid' })

type Calls = readonly { readonly name: string; readonly input: Json }[]

interface Parked {
  readonly home?: string
  readonly session?: string
  readonly calls?: Calls
  /** What the model says before its calls. */
  readonly text?: string
  readonly agent?: Partial<AgentOptions<Tools, undefined, unknown>>
  /** Given to the run alone. */
  readonly extraTools?: Tools
  readonly folder?: string
}

export const readTides = { name: 'read_file', input: { path: 'tides.csv' } }

/** Parks a session in the file that the command uses, as another process would: the command's own tools ask nobody. Returns the folder for RONDO_HOME. */
export async function parked({ home = newFolder(), session = 'notes', calls = [readTides], ...rest }: Parked = {}): Promise<string> {
  const store = sqlite(join(home, 'sessions.db'))
  const { folder, extraTools, text = '', agent: options } = rest
  const agent = new Agent<Tools>({ name: 'rondo', model: scripted([{ text, calls }]), tools: [asking, outside, pay], store, ...options })
  const metadata = folder === undefined ? {} : { metadata: { folder } }
  const { status } = await agent.run('when is high tide?', { session, ...metadata, ...(extraTools === undefined ? {} : { extraTools }) })
  if (status !== 'parked') throw new Error(`it is ${status}`)
  await store.close()
  return home
}
