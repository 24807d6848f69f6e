import { content, done, type Schema, suspend, type Tool, type ToolCallInfo, tool } from 'rondo'
import type { ToolInput } from './generate.ts'
import type { Scene } from './scene.ts'

type Parsed = ToolInput & { parsed: true }

const acts = new Set([
  ...['ok', 'deaf', 'throw', 'throw-async', 'odd', 'null', 'text', 'done', 'suspend', 'content', 'content-error', 'progress', 'mutate'],
])

function validate(value: unknown) {
  const input = value as ToolInput
  if (input.act === 'schema-throws') throw new Error('the schema broke')
  if (!acts.has(input.act)) return { issues: [{ message: 'no such act', path: ['act'] }] }
  return { value: { ...input, parsed: true as const } }
}

const jsonSchema = { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) }
const schema: Schema<ToolInput, Parsed> = { '~standard': { version: 1, vendor: 'sim', validate, jsonSchema } }
const slowSchema: Schema<ToolInput, Parsed> = {
  '~standard': { version: 1, vendor: 'sim', validate: async (value) => validate(value), jsonSchema },
}

/** Tools of every sort, for one process; what they do is what their arguments say. */
export function simTools(scene: Scene, process: string): Tool[] {
  const make = (name: string, effect: 'read' | 'idempotent' | 'unsafe', more: object = {}) =>
    tool({
      name,
      description: name,
      inputSchema: schema,
      effect,
      execute: (input: Parsed, call: ToolCallInfo) => execute(scene, process, name, input, call),
      ...more,
    }) as Tool
  const asking = (input: Parsed) => ask(input)
  return [
    make('look', 'read'),
    make('find', 'read', { timeoutMs: 400 }),
    make('put', 'idempotent'),
    make('putx', 'idempotent', { exclusive: true }),
    make('pay', 'unsafe'),
    make('payt', 'unsafe', { timeoutMs: 500, graceMs: 50 }),
    make('payr', 'unsafe', {
      timeoutMs: 500,
      graceMs: 50,
      reconcile: (input: Parsed, call: ToolCallInfo) => reconcile(scene, input, call),
    }),
    make('once', 'unsafe', { maxCallsPerRun: 1 }),
    make('askpay', 'unsafe', { needsApproval: true }),
    make('askfn', 'unsafe', { needsApproval: asking }),
    make('asklater', 'read', { needsApproval: (input: Parsed) => scene.mayHang('a permission check').then(() => ask(input)) }),
    make('client', 'unsafe', { execute: undefined }),
    make('askclient', 'idempotent', { execute: undefined, needsApproval: true }),
    make('checked', 'idempotent', { inputSchema: slowSchema }),
    make('back', 'idempotent', { background: true }),
    make('backpay', 'unsafe', { background: true, timeoutMs: 500, graceMs: 50 }),
    make('backpayr', 'unsafe', { background: true, reconcile: (input: Parsed, call: ToolCallInfo) => reconcile(scene, input, call) }),
    make('askback', 'unsafe', { background: true, needsApproval: true }),
    make('backclient', 'unsafe', { background: true, execute: undefined }),
  ]
}

/** The tools that a client runs, those that need an approval for certain, and each one's effect class: what the checkers must know. */
export const externalTools: ReadonlySet<string> = new Set(['client', 'askclient', 'backclient'])
export const alwaysAsking: ReadonlySet<string> = new Set(['askpay', 'askclient', 'askback'])
export const reconcilable: ReadonlySet<string> = new Set(['payr', 'backpayr'])
export const unsafeTools: ReadonlySet<string> = new Set([
  ...['pay', 'payt', 'payr', 'once', 'askpay', 'askfn', 'client', 'backpay', 'backpayr', 'askback', 'backclient'],
])
export const backgroundTools: ReadonlySet<string> = new Set(['back', 'backpay', 'backpayr', 'askback', 'backclient'])

/** What `needsApproval` of `askfn` and `asklater` says. */
function ask({ ask: answer }: ToolInput) {
  if (answer === 'throws') throw new Error('the permission check broke')
  if (answer === 'ask') return { risk: 'high' as const, reason: 'it costs money' }
  if (answer === 'expires') return { expiresInMs: 300 }
  return answer === 'true'
}

/** What it did is found by its key. What it has not done it refuses from now on, for the process that should have may only be asleep. */
async function reconcile(scene: Scene, { tag }: Parsed, { idempotencyKey, attempt }: ToolCallInfo) {
  await scene.mayHang('a reconcile')
  if (scene.effects.some(({ key }) => key === idempotencyKey)) {
    if (typeof tag === 'number' && tag % 2 === 0) return 'unknown'
    return { settled: { found: idempotencyKey } }
  }
  scene.closed.set(idempotencyKey, attempt)
  return 'not-started'
}

function execute(scene: Scene, process: string, name: string, input: Parsed, call: ToolCallInfo): unknown {
  const { parsed, ...given } = input
  if (parsed !== true) scene.count('unparsed input')
  if ((scene.closed.get(call.idempotencyKey) ?? 0) >= call.attempt) throw new Error('refused: closed')
  scene.effects.push({
    process,
    callId: call.callId,
    tool: name,
    input: JSON.stringify(given),
    attempt: call.attempt,
    key: call.idempotencyKey,
    at: scene.clock.wall(),
    length: scene.length,
  })
  if (input.act === 'throw') throw new Error('the tool broke')
  if (input.act === 'mutate') Object.assign(input, { tag: 'changed', nested: {} })
  if (input.ms === undefined)
    return input.act === 'throw-async' ? Promise.reject(new Error('the tool broke later')) : value(scene, input, call)
  return slowly(scene, input, call)
}

async function slowly(scene: Scene, input: Parsed, call: ToolCallInfo): Promise<unknown> {
  if (input.act === 'progress') call.progress({ begun: true })
  await scene.wait(input.ms ?? 0, input.act === 'deaf' ? undefined : call.signal)
  if (input.act === 'throw-async') throw new Error('the tool broke later')
  return value(scene, input, call)
}

/** Where there is an output schema, one that fits. */
function doneValue({ script }: Scene) {
  const { output } = script.agent
  return output === undefined ? 'all done' : output.root === 'object' ? { n: 1 } : [1]
}

function value(scene: Scene, { act, tag }: Parsed, call: ToolCallInfo): unknown {
  switch (act) {
    case 'odd':
      return oddValue(typeof tag === 'number' ? tag : 0)
    case 'null':
      return null
    case 'text':
      return 'line one is long enough to be cut\nline two\nline three\nline four is the last one'
    case 'done':
      return done(typeof tag === 'number' && tag % 2 === 0 ? doneValue(scene) : { tag })
    case 'suspend':
      return suspend({ correlationId: `c-${call.callId}`, ...(typeof tag === 'number' && tag % 3 === 0 ? { expiresInMs: 700 } : {}) })
    case 'content':
      return content([{ type: 'text', text: 'a part' }])
    case 'content-error':
      return content([{ type: 'text', text: 'a bad part' }], { isError: true })
    case 'progress':
      call.progress({ tag })
      return { tag }
    default:
      return { tag }
  }
}

function oddValue(tag: number): unknown {
  const circle: { self?: unknown } = {}
  circle.self = circle
  const odd = [
    10n,
    () => 1,
    undefined,
    circle,
    new Map([['a', 1]]),
    Number.NaN,
    new Error('not thrown'),
    '\ud800',
    [undefined],
    new Date(0),
  ]
  return odd[tag % odd.length]
}
