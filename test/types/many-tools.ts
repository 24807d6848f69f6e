import { Agent, type Model, type SettledCall, tool } from 'rondo'
import { z } from 'zod'

// Eighty tools in one agent: `node scripts/types-speed.mjs` says what checking this file costs beyond an empty one.

type Equal<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false
declare function same<A, B>(..._: Equal<A, B> extends true ? [] : [got: A, want: B]): void
declare const model: Model

const tool0 = tool({
  name: 'tool_0',
  description: 'd',
  inputSchema: z.object({ id: z.string(), count: z.number().default(1) }),
  execute: ({ id, count }) => ({ id, count, at: new Date() }),
})
const tool1 = tool({
  name: 'tool_1',
  description: 'd',
  inputSchema: z.object({ query: z.string(), limit: z.number().optional(), tags: z.array(z.string()) }),
  execute: async ({ query, tags }) => [query, ...tags],
})
const tool2 = tool({
  name: 'tool_2',
  description: 'd',
  inputSchema: z.object({ kind: z.enum(['a', 'b', 'c']), nested: z.object({ deep: z.boolean() }) }),
  execute: ({ kind, nested }) => (nested.deep ? kind : 0),
})
const tool3 = tool({
  name: 'tool_3',
  description: 'd',
  inputSchema: z.object({ from: z.string(), to: z.string() }),
  execute: async ({ from, to }) => ({ path: [from, to] as const }),
})
const tool4 = tool({
  name: 'tool_4',
  description: 'd',
  inputSchema: z.object({ id: z.string(), count: z.number().default(1) }),
  execute: ({ id, count }) => ({ id, count, at: new Date() }),
})
const tool5 = tool({
  name: 'tool_5',
  description: 'd',
  inputSchema: z.object({ query: z.string(), limit: z.number().optional(), tags: z.array(z.string()) }),
  execute: async ({ query, tags }) => [query, ...tags],
})
const tool6 = tool({
  name: 'tool_6',
  description: 'd',
  inputSchema: z.object({ kind: z.enum(['a', 'b', 'c']), nested: z.object({ deep: z.boolean() }) }),
  execute: ({ kind, nested }) => (nested.deep ? kind : 0),
})
const tool7 = tool({
  name: 'tool_7',
  description: 'd',
  inputSchema: z.object({ from: z.string(), to: z.string() }),
  execute: async ({ from, to }) => ({ path: [from, to] as const }),
})
const tool8 = tool({
  name: 'tool_8',
  description: 'd',
  inputSchema: z.object({ id: z.string(), count: z.number().default(1) }),
  execute: ({ id, count }) => ({ id, count, at: new Date() }),
})
const tool9 = tool({
  name: 'tool_9',
  description: 'd',
  inputSchema: z.object({ query: z.string(), limit: z.number().optional(), tags: z.array(z.string()) }),
  execute: async ({ query, tags }) => [query, ...tags],
})
const tool10 = tool({
  name: 'tool_10',
  description: 'd',
  inputSchema: z.object({ kind: z.enum(['a', 'b', 'c']), nested: z.object({ deep: z.boolean() }) }),
  execute: ({ kind, nested }) => (nested.deep ? kind : 0),
})
const tool11 = tool({
  name: 'tool_11',
  description: 'd',
  inputSchema: z.object({ from: z.string(), to: z.string() }),
  execute: async ({ from, to }) => ({ path: [from, to] as const }),
})
const tool12 = tool({
  name: 'tool_12',
  description: 'd',
  inputSchema: z.object({ id: z.string(), count: z.number().default(1) }),
  execute: ({ id, count }) => ({ id, count, at: new Date() }),
})
const tool13 = tool({
  name: 'tool_13',
  description: 'd',
  inputSchema: z.object({ query: z.string(), limit: z.number().optional(), tags: z.array(z.string()) }),
  execute: async ({ query, tags }) => [query, ...tags],
})
const tool14 = tool({
  name: 'tool_14',
  description: 'd',
  inputSchema: z.object({ kind: z.enum(['a', 'b', 'c']), nested: z.object({ deep: z.boolean() }) }),
  execute: ({ kind, nested }) => (nested.deep ? kind : 0),
})
const tool15 = tool({
  name: 'tool_15',
  description: 'd',
  inputSchema: z.object({ from: z.string(), to: z.string() }),
  execute: async ({ from, to }) => ({ path: [from, to] as const }),
})
const tool16 = tool({
  name: 'tool_16',
  description: 'd',
  inputSchema: z.object({ id: z.string(), count: z.number().default(1) }),
  execute: ({ id, count }) => ({ id, count, at: new Date() }),
})
const tool17 = tool({
  name: 'tool_17',
  description: 'd',
  inputSchema: z.object({ query: z.string(), limit: z.number().optional(), tags: z.array(z.string()) }),
  execute: async ({ query, tags }) => [query, ...tags],
})
const tool18 = tool({
  name: 'tool_18',
  description: 'd',
  inputSchema: z.object({ kind: z.enum(['a', 'b', 'c']), nested: z.object({ deep: z.boolean() }) }),
  execute: ({ kind, nested }) => (nested.deep ? kind : 0),
})
const tool19 = tool({
  name: 'tool_19',
  description: 'd',
  inputSchema: z.object({ from: z.string(), to: z.string() }),
  execute: async ({ from, to }) => ({ path: [from, to] as const }),
})
const tool20 = tool({
  name: 'tool_20',
  description: 'd',
  inputSchema: z.object({ id: z.string(), count: z.number().default(1) }),
  execute: ({ id, count }) => ({ id, count, at: new Date() }),
})
const tool21 = tool({
  name: 'tool_21',
  description: 'd',
  inputSchema: z.object({ query: z.string(), limit: z.number().optional(), tags: z.array(z.string()) }),
  execute: async ({ query, tags }) => [query, ...tags],
})
const tool22 = tool({
  name: 'tool_22',
  description: 'd',
  inputSchema: z.object({ kind: z.enum(['a', 'b', 'c']), nested: z.object({ deep: z.boolean() }) }),
  execute: ({ kind, nested }) => (nested.deep ? kind : 0),
})
const tool23 = tool({
  name: 'tool_23',
  description: 'd',
  inputSchema: z.object({ from: z.string(), to: z.string() }),
  execute: async ({ from, to }) => ({ path: [from, to] as const }),
})
const tool24 = tool({
  name: 'tool_24',
  description: 'd',
  inputSchema: z.object({ id: z.string(), count: z.number().default(1) }),
  execute: ({ id, count }) => ({ id, count, at: new Date() }),
})
const tool25 = tool({
  name: 'tool_25',
  description: 'd',
  inputSchema: z.object({ query: z.string(), limit: z.number().optional(), tags: z.array(z.string()) }),
  execute: async ({ query, tags }) => [query, ...tags],
})
const tool26 = tool({
  name: 'tool_26',
  description: 'd',
  inputSchema: z.object({ kind: z.enum(['a', 'b', 'c']), nested: z.object({ deep: z.boolean() }) }),
  execute: ({ kind, nested }) => (nested.deep ? kind : 0),
})
const tool27 = tool({
  name: 'tool_27',
  description: 'd',
  inputSchema: z.object({ from: z.string(), to: z.string() }),
  execute: async ({ from, to }) => ({ path: [from, to] as const }),
})
const tool28 = tool({
  name: 'tool_28',
  description: 'd',
  inputSchema: z.object({ id: z.string(), count: z.number().default(1) }),
  execute: ({ id, count }) => ({ id, count, at: new Date() }),
})
const tool29 = tool({
  name: 'tool_29',
  description: 'd',
  inputSchema: z.object({ query: z.string(), limit: z.number().optional(), tags: z.array(z.string()) }),
  execute: async ({ query, tags }) => [query, ...tags],
})
const tool30 = tool({
  name: 'tool_30',
  description: 'd',
  inputSchema: z.object({ kind: z.enum(['a', 'b', 'c']), nested: z.object({ deep: z.boolean() }) }),
  execute: ({ kind, nested }) => (nested.deep ? kind : 0),
})
const tool31 = tool({
  name: 'tool_31',
  description: 'd',
  inputSchema: z.object({ from: z.string(), to: z.string() }),
  execute: async ({ from, to }) => ({ path: [from, to] as const }),
})
const tool32 = tool({
  name: 'tool_32',
  description: 'd',
  inputSchema: z.object({ id: z.string(), count: z.number().default(1) }),
  execute: ({ id, count }) => ({ id, count, at: new Date() }),
})
const tool33 = tool({
  name: 'tool_33',
  description: 'd',
  inputSchema: z.object({ query: z.string(), limit: z.number().optional(), tags: z.array(z.string()) }),
  execute: async ({ query, tags }) => [query, ...tags],
})
const tool34 = tool({
  name: 'tool_34',
  description: 'd',
  inputSchema: z.object({ kind: z.enum(['a', 'b', 'c']), nested: z.object({ deep: z.boolean() }) }),
  execute: ({ kind, nested }) => (nested.deep ? kind : 0),
})
const tool35 = tool({
  name: 'tool_35',
  description: 'd',
  inputSchema: z.object({ from: z.string(), to: z.string() }),
  execute: async ({ from, to }) => ({ path: [from, to] as const }),
})
const tool36 = tool({
  name: 'tool_36',
  description: 'd',
  inputSchema: z.object({ id: z.string(), count: z.number().default(1) }),
  execute: ({ id, count }) => ({ id, count, at: new Date() }),
})
const tool37 = tool({
  name: 'tool_37',
  description: 'd',
  inputSchema: z.object({ query: z.string(), limit: z.number().optional(), tags: z.array(z.string()) }),
  execute: async ({ query, tags }) => [query, ...tags],
})
const tool38 = tool({
  name: 'tool_38',
  description: 'd',
  inputSchema: z.object({ kind: z.enum(['a', 'b', 'c']), nested: z.object({ deep: z.boolean() }) }),
  execute: ({ kind, nested }) => (nested.deep ? kind : 0),
})
const tool39 = tool({
  name: 'tool_39',
  description: 'd',
  inputSchema: z.object({ from: z.string(), to: z.string() }),
  execute: async ({ from, to }) => ({ path: [from, to] as const }),
})
const tool40 = tool({
  name: 'tool_40',
  description: 'd',
  inputSchema: z.object({ id: z.string(), count: z.number().default(1) }),
  execute: ({ id, count }) => ({ id, count, at: new Date() }),
})
const tool41 = tool({
  name: 'tool_41',
  description: 'd',
  inputSchema: z.object({ query: z.string(), limit: z.number().optional(), tags: z.array(z.string()) }),
  execute: async ({ query, tags }) => [query, ...tags],
})
const tool42 = tool({
  name: 'tool_42',
  description: 'd',
  inputSchema: z.object({ kind: z.enum(['a', 'b', 'c']), nested: z.object({ deep: z.boolean() }) }),
  execute: ({ kind, nested }) => (nested.deep ? kind : 0),
})
const tool43 = tool({
  name: 'tool_43',
  description: 'd',
  inputSchema: z.object({ from: z.string(), to: z.string() }),
  execute: async ({ from, to }) => ({ path: [from, to] as const }),
})
const tool44 = tool({
  name: 'tool_44',
  description: 'd',
  inputSchema: z.object({ id: z.string(), count: z.number().default(1) }),
  execute: ({ id, count }) => ({ id, count, at: new Date() }),
})
const tool45 = tool({
  name: 'tool_45',
  description: 'd',
  inputSchema: z.object({ query: z.string(), limit: z.number().optional(), tags: z.array(z.string()) }),
  execute: async ({ query, tags }) => [query, ...tags],
})
const tool46 = tool({
  name: 'tool_46',
  description: 'd',
  inputSchema: z.object({ kind: z.enum(['a', 'b', 'c']), nested: z.object({ deep: z.boolean() }) }),
  execute: ({ kind, nested }) => (nested.deep ? kind : 0),
})
const tool47 = tool({
  name: 'tool_47',
  description: 'd',
  inputSchema: z.object({ from: z.string(), to: z.string() }),
  execute: async ({ from, to }) => ({ path: [from, to] as const }),
})
const tool48 = tool({
  name: 'tool_48',
  description: 'd',
  inputSchema: z.object({ id: z.string(), count: z.number().default(1) }),
  execute: ({ id, count }) => ({ id, count, at: new Date() }),
})
const tool49 = tool({
  name: 'tool_49',
  description: 'd',
  inputSchema: z.object({ query: z.string(), limit: z.number().optional(), tags: z.array(z.string()) }),
  execute: async ({ query, tags }) => [query, ...tags],
})
const tool50 = tool({
  name: 'tool_50',
  description: 'd',
  inputSchema: z.object({ kind: z.enum(['a', 'b', 'c']), nested: z.object({ deep: z.boolean() }) }),
  execute: ({ kind, nested }) => (nested.deep ? kind : 0),
})
const tool51 = tool({
  name: 'tool_51',
  description: 'd',
  inputSchema: z.object({ from: z.string(), to: z.string() }),
  execute: async ({ from, to }) => ({ path: [from, to] as const }),
})
const tool52 = tool({
  name: 'tool_52',
  description: 'd',
  inputSchema: z.object({ id: z.string(), count: z.number().default(1) }),
  execute: ({ id, count }) => ({ id, count, at: new Date() }),
})
const tool53 = tool({
  name: 'tool_53',
  description: 'd',
  inputSchema: z.object({ query: z.string(), limit: z.number().optional(), tags: z.array(z.string()) }),
  execute: async ({ query, tags }) => [query, ...tags],
})
const tool54 = tool({
  name: 'tool_54',
  description: 'd',
  inputSchema: z.object({ kind: z.enum(['a', 'b', 'c']), nested: z.object({ deep: z.boolean() }) }),
  execute: ({ kind, nested }) => (nested.deep ? kind : 0),
})
const tool55 = tool({
  name: 'tool_55',
  description: 'd',
  inputSchema: z.object({ from: z.string(), to: z.string() }),
  execute: async ({ from, to }) => ({ path: [from, to] as const }),
})
const tool56 = tool({
  name: 'tool_56',
  description: 'd',
  inputSchema: z.object({ id: z.string(), count: z.number().default(1) }),
  execute: ({ id, count }) => ({ id, count, at: new Date() }),
})
const tool57 = tool({
  name: 'tool_57',
  description: 'd',
  inputSchema: z.object({ query: z.string(), limit: z.number().optional(), tags: z.array(z.string()) }),
  execute: async ({ query, tags }) => [query, ...tags],
})
const tool58 = tool({
  name: 'tool_58',
  description: 'd',
  inputSchema: z.object({ kind: z.enum(['a', 'b', 'c']), nested: z.object({ deep: z.boolean() }) }),
  execute: ({ kind, nested }) => (nested.deep ? kind : 0),
})
const tool59 = tool({
  name: 'tool_59',
  description: 'd',
  inputSchema: z.object({ from: z.string(), to: z.string() }),
  execute: async ({ from, to }) => ({ path: [from, to] as const }),
})
const tool60 = tool({
  name: 'tool_60',
  description: 'd',
  inputSchema: z.object({ id: z.string(), count: z.number().default(1) }),
  execute: ({ id, count }) => ({ id, count, at: new Date() }),
})
const tool61 = tool({
  name: 'tool_61',
  description: 'd',
  inputSchema: z.object({ query: z.string(), limit: z.number().optional(), tags: z.array(z.string()) }),
  execute: async ({ query, tags }) => [query, ...tags],
})
const tool62 = tool({
  name: 'tool_62',
  description: 'd',
  inputSchema: z.object({ kind: z.enum(['a', 'b', 'c']), nested: z.object({ deep: z.boolean() }) }),
  execute: ({ kind, nested }) => (nested.deep ? kind : 0),
})
const tool63 = tool({
  name: 'tool_63',
  description: 'd',
  inputSchema: z.object({ from: z.string(), to: z.string() }),
  execute: async ({ from, to }) => ({ path: [from, to] as const }),
})
const tool64 = tool({
  name: 'tool_64',
  description: 'd',
  inputSchema: z.object({ id: z.string(), count: z.number().default(1) }),
  execute: ({ id, count }) => ({ id, count, at: new Date() }),
})
const tool65 = tool({
  name: 'tool_65',
  description: 'd',
  inputSchema: z.object({ query: z.string(), limit: z.number().optional(), tags: z.array(z.string()) }),
  execute: async ({ query, tags }) => [query, ...tags],
})
const tool66 = tool({
  name: 'tool_66',
  description: 'd',
  inputSchema: z.object({ kind: z.enum(['a', 'b', 'c']), nested: z.object({ deep: z.boolean() }) }),
  execute: ({ kind, nested }) => (nested.deep ? kind : 0),
})
const tool67 = tool({
  name: 'tool_67',
  description: 'd',
  inputSchema: z.object({ from: z.string(), to: z.string() }),
  execute: async ({ from, to }) => ({ path: [from, to] as const }),
})
const tool68 = tool({
  name: 'tool_68',
  description: 'd',
  inputSchema: z.object({ id: z.string(), count: z.number().default(1) }),
  execute: ({ id, count }) => ({ id, count, at: new Date() }),
})
const tool69 = tool({
  name: 'tool_69',
  description: 'd',
  inputSchema: z.object({ query: z.string(), limit: z.number().optional(), tags: z.array(z.string()) }),
  execute: async ({ query, tags }) => [query, ...tags],
})
const tool70 = tool({
  name: 'tool_70',
  description: 'd',
  inputSchema: z.object({ kind: z.enum(['a', 'b', 'c']), nested: z.object({ deep: z.boolean() }) }),
  execute: ({ kind, nested }) => (nested.deep ? kind : 0),
})
const tool71 = tool({
  name: 'tool_71',
  description: 'd',
  inputSchema: z.object({ from: z.string(), to: z.string() }),
  execute: async ({ from, to }) => ({ path: [from, to] as const }),
})
const tool72 = tool({
  name: 'tool_72',
  description: 'd',
  inputSchema: z.object({ id: z.string(), count: z.number().default(1) }),
  execute: ({ id, count }) => ({ id, count, at: new Date() }),
})
const tool73 = tool({
  name: 'tool_73',
  description: 'd',
  inputSchema: z.object({ query: z.string(), limit: z.number().optional(), tags: z.array(z.string()) }),
  execute: async ({ query, tags }) => [query, ...tags],
})
const tool74 = tool({
  name: 'tool_74',
  description: 'd',
  inputSchema: z.object({ kind: z.enum(['a', 'b', 'c']), nested: z.object({ deep: z.boolean() }) }),
  execute: ({ kind, nested }) => (nested.deep ? kind : 0),
})
const tool75 = tool({
  name: 'tool_75',
  description: 'd',
  inputSchema: z.object({ from: z.string(), to: z.string() }),
  execute: async ({ from, to }) => ({ path: [from, to] as const }),
})
const tool76 = tool({
  name: 'tool_76',
  description: 'd',
  inputSchema: z.object({ id: z.string(), count: z.number().default(1) }),
  execute: ({ id, count }) => ({ id, count, at: new Date() }),
})
const tool77 = tool({
  name: 'tool_77',
  description: 'd',
  inputSchema: z.object({ query: z.string(), limit: z.number().optional(), tags: z.array(z.string()) }),
  execute: async ({ query, tags }) => [query, ...tags],
})
const tool78 = tool({
  name: 'tool_78',
  description: 'd',
  inputSchema: z.object({ kind: z.enum(['a', 'b', 'c']), nested: z.object({ deep: z.boolean() }) }),
  execute: ({ kind, nested }) => (nested.deep ? kind : 0),
})
const tool79 = tool({
  name: 'tool_79',
  description: 'd',
  inputSchema: z.object({ from: z.string(), to: z.string() }),
  execute: async ({ from, to }) => ({ path: [from, to] as const }),
})

const tools = [
  tool0,
  tool1,
  tool2,
  tool3,
  tool4,
  tool5,
  tool6,
  tool7,
  tool8,
  tool9,
  tool10,
  tool11,
  tool12,
  tool13,
  tool14,
  tool15,
  tool16,
  tool17,
  tool18,
  tool19,
  tool20,
  tool21,
  tool22,
  tool23,
  tool24,
  tool25,
  tool26,
  tool27,
  tool28,
  tool29,
  tool30,
  tool31,
  tool32,
  tool33,
  tool34,
  tool35,
  tool36,
  tool37,
  tool38,
  tool39,
  tool40,
  tool41,
  tool42,
  tool43,
  tool44,
  tool45,
  tool46,
  tool47,
  tool48,
  tool49,
  tool50,
  tool51,
  tool52,
  tool53,
  tool54,
  tool55,
  tool56,
  tool57,
  tool58,
  tool59,
  tool60,
  tool61,
  tool62,
  tool63,
  tool64,
  tool65,
  tool66,
  tool67,
  tool68,
  tool69,
  tool70,
  tool71,
  tool72,
  tool73,
  tool74,
  tool75,
  tool76,
  tool77,
  tool78,
  tool79,
] as const

const agent = new Agent({
  model,
  tools,
  toolChoice: { tool: 'tool_79' },
  stopWhen: ({ calls }) => calls.some((call) => !call.dynamic && call.toolName === 'tool_0'),
  hooks: {
    beforeTool(call) {
      return !call.dynamic && call.toolName === 'tool_1' && call.input.tags.length > 5 ? { deny: 'too many' } : undefined
    },
  },
})

const run = agent.stream('x')
for await (const event of run) {
  if (event.type === 'call.started' && !event.dynamic && event.toolName === 'tool_2') same<typeof event.input.kind, 'a' | 'b' | 'c'>()
  if (event.type === 'call.settled' && !event.dynamic && event.toolName === 'tool_0' && event.outcome === 'ok')
    same<typeof event.output, { id: string; count: number; at: string }>()
}

const result = await agent.run('x')
for (const call of result.calls)
  if (!call.dynamic && call.toolName === 'tool_77' && call.outcome === 'ok') same<typeof call.output, string[]>()
const last: SettledCall<typeof tools> | undefined = result.calls.at(-1)

export { last }
