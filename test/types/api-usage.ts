import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import {
  Agent,
  type AgentOptions,
  type Call,
  type ContextOf,
  content,
  dependency,
  done,
  type EventOf,
  expectOutput,
  type Model,
  type ProviderTool,
  type Run,
  type RunOptions,
  type RunResult,
  type SettledCall,
  type Store,
  type Tool,
  type ToolCallInfo,
  type ToolSource,
  tool,
  type UIToolsOf,
} from 'rondo'
import { jsonSchema } from 'rondo/json-schema'
import { scripted } from 'rondo/testing'
import * as v from 'valibot'
import { z } from 'zod'

// The public face as its users write it: type-checked by `npm run typecheck`, never run. `same` fails to compile when an inferred type is not exactly what stands there.

type Equal<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false
declare function same<A, B>(..._: Equal<A, B> extends true ? [] : [got: A, want: B]): void
declare const model: Model, store: Store, mcp: ToolSource
interface App {
  readonly userId: string
  readonly tenant: { readonly id: string }
}

const weather = tool({
  name: 'get_weather',
  description: 'd',
  effect: 'read',
  inputSchema: z.object({ city: z.string(), days: z.number().default(1) }),
  execute: async ({ city, days }, call) => {
    same<typeof days, number>()
    same<typeof city, string>()
    same<typeof call.context, unknown>()
    return { celsius: 21, at: new Date(), city }
  },
  toModelOutput: (o) => {
    same<typeof o.at, string>()
    return `${o.celsius}`
  },
})
same<
  typeof weather,
  Tool<
    'get_weather',
    { city: string; days?: number | undefined },
    { city: string; days: number },
    { celsius: number; at: string; city: string },
    unknown
  >
>()

const appTool = tool.for<App>()
const pay = appTool({
  name: 'pay',
  description: 'd',
  inputSchema: type({ cents: 'number', to: 'string' }),
  needsApproval: ({ cents }, call) => cents > 1000 && { risk: 'high', reason: call.callId },
  execute: async ({ cents }, call) => ({ receipt: `${call.context.userId}:${cents}:${call.idempotencyKey}` }),
})
const finish = tool({
  name: 'finish',
  description: 'd',
  inputSchema: toStandardJsonSchema(v.object({ summary: v.string() })),
  execute: ({ summary }) => (summary.length > 3 ? done(summary) : { retry: true as const }),
})
const pick = tool({
  name: 'pick_date',
  description: 'client side',
  inputSchema: z.object({}),
  outputSchema: z.object({ date: z.string() }),
})
const raw = tool({
  name: 'raw',
  description: 'd',
  inputSchema: jsonSchema<{ q: string }>({ type: 'object', properties: { q: { type: 'string' } } }),
  execute: ({ q }) => content([{ type: 'text', text: q }]),
})
// Options have names of their own.
const own: AgentOptions = { model, tools: [weather] }
const once: RunOptions = { session: 's', limits: { maxIterations: 3 } }
void new Agent(own).run('x', once)
const bytes = new Uint8Array()
tool({
  name: 'photo',
  description: 'd',
  inputSchema: z.object({}),
  execute: () =>
    content([
      { type: 'image', data: bytes },
      { type: 'file', data: new URL('https://a.example/b.pdf'), mediaType: 'application/pdf' },
    ]),
  toModelOutput: () => [{ type: 'image', data: bytes }],
})
same<(typeof finish)['~types'] & {} extends { output: infer O } ? O : 0, { retry: true }>()
same<(typeof pick)['~types'] & {} extends { output: infer O } ? O : 0, { date: string }>()

const annotated = tool({
  name: 'a',
  description: 'd',
  inputSchema: z.object({ n: z.number() }),
  execute: ({ n }, call: ToolCallInfo<App>) => call.context.userId + n,
})
same<ContextOf<readonly [typeof annotated, typeof weather]>, App>()
tool({
  name: 'a',
  description: 'd',
  inputSchema: z.object({ n: z.number() }),
  needsApproval: (_, call) => call.attempt > 1,
  // @ts-expect-error a context named after another callback has fixed it: an error, not a hole; use tool.for<App>()
  execute: ({ n }, call: ToolCallInfo<App>) => call.context.userId + n,
})
const Db = dependency('db', async () => ({ query: (sql: string) => [sql] }))
const tools = [weather, pay, finish, pick, raw, mcp] as const
same<ContextOf<typeof tools>, App>()
const agent = new Agent({
  model,
  tools,
  instructions: 'Be brief.',
  store,
  limits: { maxIterations: 20, maxCostUsd: 1 },
  toolChoice: { tool: 'pay' },
  stopWhen: ({ calls }) => calls.some((c) => !c.dynamic && c.toolName === 'pay'),
  hooks: {
    beforeTool(call, run) {
      same<typeof run.context, App>()
      if (!call.dynamic && call.toolName === 'pay') {
        same<typeof call.input, { cents: number; to: string }>()
        return call.input.cents > 5 ? { deny: run.context.tenant.id } : undefined
      }
      return
    },
    approveTool: async (call) => (call.toolName === 'pay' ? { ask: { risk: 'high' } } : 'allow'),
  },
})

const webSearch: ProviderTool = { provider: 'openai', providerTool: { type: 'web_search' } }
const searching = new Agent({ model, tools: [weather, webSearch, { provider: 'acme', providerTool: { type: 'code' } }] })
searching.on('call.settled', (event) => {
  // Calls that the provider has run are dynamic, and leave ours their types.
  if (!event.dynamic && event.toolName === 'get_weather') same<typeof event.input, { city: string; days?: number | undefined }>()
  if (event.dynamic) same<typeof event.input, unknown>()
})
// @ts-expect-error a tool of a provider is JSON
new Agent({ model, tools: [{ provider: 'acme', providerTool: () => 1 }] })

const context: App = { userId: 'u', tenant: { id: 't' } }
// @ts-expect-error the context is required because a tool asks for it
agent.run('x')
// @ts-expect-error and checked
agent.run('x', { context: { userId: 1 } })
const r = await agent.run('x', { context, session: 'chat-1' })
same<typeof r.text, string>()
if (r.status === 'completed') same<typeof r.output, string>()
if (r.status === 'parked')
  for (const p of r.pending)
    if (!p.dynamic && p.toolName === 'pay' && p.kind === 'approval') {
      same<typeof p.input.cents, number>()
      same<NonNullable<typeof p.risk>, 'low' | 'medium' | 'high'>()
    }
if (r.status === 'failed') same<typeof r.error.retryable, boolean>()
for (const c of r.calls)
  if (!c.dynamic && c.toolName === 'get_weather' && c.outcome === 'ok') {
    same<typeof c.output, { celsius: number; at: string; city: string }>()
    same<typeof c.input.days, number | undefined>()
  }

const Plan = z.object({ title: z.string(), steps: z.array(z.object({ text: z.string(), eta: z.coerce.date() })) })
const planned = await agent.run('x', { context, output: Plan })
same<typeof planned, RunResult<typeof tools, z.output<typeof Plan>>>()
if (planned.status === 'completed') same<(typeof planned.output.steps)[number]['eta'], Date>()
// @ts-expect-error not completed yet: may be undefined
planned.output.title
same<ReturnType<typeof expectOutput<z.output<typeof Plan>>>, z.output<typeof Plan>>()
const t: string = expectOutput(planned).title
// The wrap-up of a limit may be an output too.
if (planned.status === 'incomplete') same<typeof planned.output, z.output<typeof Plan> | undefined>()
if (planned.status === 'failed') same<typeof planned.output, undefined>()

async function start() {
  return agent.stream('x', { context, output: Plan, signal: AbortSignal.timeout(5) })
} // Run is not thenable
const run = await start()
same<typeof run, Run<typeof tools, z.output<typeof Plan>>>()
for await (const e of run)
  switch (e.type) {
    case 'text.delta':
      process.stdout.write(e.text)
      break
    case 'output.partial':
      same<typeof e.output.steps, readonly { text?: string; eta?: Date }[] | undefined>()
      break
    case 'call.started':
      if (!e.dynamic && e.toolName === 'pay') same<typeof e.input, { cents: number; to: string }>()
      if (e.dynamic) same<typeof e.input, unknown>()
      break
    case 'call.settled':
      if (!e.dynamic && e.toolName === 'pick_date' && e.outcome === 'ok') same<typeof e.output.date, string>()
      break
    case 'approval.requested':
      await run.decide({ callId: e.callId, decision: 'approve', by: 'me' })
      break
    case 'run.finished':
      if (e.result.status === 'completed') same<typeof e.result.output.title, string>()
      break
  }
const off = agent.on('call.settled', (e) => {
  same<typeof e, EventOf<'call.settled', typeof tools, string>>()
  if (!e.dynamic && e.toolName === 'pay' && e.outcome === 'ok') same<typeof e.output.receipt, string>()
})
off()
// @ts-expect-error unknown event
agent.on('tool.started', () => {})
// @ts-expect-error unknown option
new Agent({ model, maxSteps: 3 })
// @ts-expect-error a schema without its JSON Schema half (plain valibot) is refused at compile time
tool({ name: 'v', description: 'd', inputSchema: v.object({ a: v.string() }), execute: () => 1 })
const resumed = agent.resume('s', {
  context,
  decisions: [{ callId: 'c', decision: 'deny', reason: 'no' }],
  results: [{ callId: 'd', output: { date: 'x' } }],
})
same<typeof resumed, Run<typeof tools, string>>()
// A run that had a schema of its own is given it again.
same<ReturnType<typeof resumeWithPlan>, Run<typeof tools, z.output<typeof Plan>>>()
function resumeWithPlan() {
  return agent.resume('s', { context, output: Plan })
}

const plain = new Agent({ model, tools: [weather], output: Plan }) // inline array, agent-level output, no context
const p = await plain.run('x')
if (p.status === 'completed') same<typeof p.output, z.output<typeof Plan>>()
const p2 = await plain.run('x', { signal: AbortSignal.timeout(1), limits: { maxIterations: 2 } })
if (p2.status === 'completed') same<typeof p2.output, z.output<typeof Plan>>()
const p3 = await plain.run('x', { output: undefined })
if (p3.status === 'completed') same<typeof p3.output, string>()
const bare = new Agent({ model })
const b = await bare.run('hi')
if (b.status === 'completed') same<typeof b.output, string>()
same<ContextOf<readonly [typeof pay]>, App>()
const many: readonly Tool[] = [weather]
const dyn = new Agent({ model, tools: many })
const d = await dyn.run('x')
for (const c of d.calls) same<typeof c.toolName, string>()
const s = scripted([{ calls: [{ name: 'get_weather', input: { city: 'Paris' } }] }, 'It is 21°'])
new Agent({ model: s, tools })
s.assertDone()
const withDb = tool({
  name: 'db',
  description: 'd',
  inputSchema: z.object({}),
  execute: async (_, call) => (await call.resolve(Db)).query('select 1'),
})
same<(typeof withDb)['~types'] & {} extends { output: infer O } ? O : 0, string[]>()
new Agent({ model, tools: [withDb], dependencies: [Db.with(() => ({ query: () => ['fake'] }))] })
await using scoped = agent.stream('x', { context })
declare function log(result: RunResult): void
declare function pipe(run: Run): void
log(r)
log(planned)
pipe(run)
pipe(scoped) // specific is assignable to general

export { type Call, type SettledCall, t }

/** What a frontend's message parts are typed by; the AI SDK's own `UIMessage` stands here once `rondo/ui` is there. */
type UI = UIToolsOf<typeof agent>
same<UI['pay'], { input: { cents: number; to: string }; output: { receipt: string } }>()
same<UI['pick_date']['output'], { date: string }>()

// Belongs to later work: `agent.asTool()` and its typed output in a parent; `chatHandler()` and `toUIMessageStreamResponse()` (rondo/ui);
// `fromAiSdk()` and the AI SDK's types (`UIMessage<never, UIDataTypes, UIToolsOf<typeof agent>>`, `LanguageModelV3`); `session.fork()`,
// `session.compact()` and `session.erase()`; `crashEverywhere()`.
