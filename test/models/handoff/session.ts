import { expect } from 'vitest'
import { z } from 'zod'
import type { Model } from '../../../src/core/model.ts'
import { Agent, content, memory, type Store, tool, type UserPart } from '../../../src/index.ts'
import type { Answer, Reply } from '../../../src/testing/fake/reply.ts'
import type { FakeRequest, FakeServer } from '../../../src/testing/fake/server.ts'
import { type Side, sides } from './sides.ts'

const png = 'iVBORw0KGgoAAAANSUhEUg=='
const paper = 'JVBERi0xLjQK'
const shot = 'iVBORw0KGgoAAAAShotShot'

/** What Gemini takes for the signature of a call that is not its own. */
const standIn = 'skip_thought_signature_validator'

const at = z.object({ at: z.string() })

const tools = [
  tool({
    name: 'look',
    description: 'Looks.',
    effect: 'read',
    inputSchema: at,
    execute: ({ at: place }) => {
      if (place.endsWith('wrong')) throw new Error(`broken ${place}`)
      if (!place.endsWith('picture')) return `saw ${place}`
      return content([
        { type: 'text', text: `saw ${place}` },
        { type: 'image', mediaType: 'image/png', data: shot },
      ])
    },
  }),
  tool({ name: 'delete', description: 'Deletes.', effect: 'unsafe', inputSchema: at, execute: () => 'deleted' }),
  tool({
    name: 'wait',
    description: 'Waits until it is aborted.',
    effect: 'read',
    inputSchema: at,
    execute: async (_, { signal }) => {
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      return 'gone'
    },
  }),
]

interface Shown {
  readonly data: string
  readonly mediaType: string
  readonly named?: string
}

/** One run of a session: what is said, what the model replies, how it ends. */
export interface Episode {
  readonly input: string | UserPart[]
  readonly replies: readonly Reply[]
  readonly status: 'completed' | 'aborted' | 'incomplete'
  /** It is aborted at the first event of this type. */
  readonly abortAt?: 'reasoning.delta' | 'text.delta' | 'call.started'
  /** What each later request must hold. */
  readonly said: readonly (string | Shown)[]
  /** Thoughts that go back to whom they are of. */
  readonly thoughts?: readonly string[]
}

type Kind = (side: Side, tag: string) => Episode

const look = (where: string) => ({ name: 'look', input: { at: where } })

/** What may happen in a session. `tag` makes what is said in it its own. */
export const kinds: { readonly [name: string]: Kind } = {
  'work with parallel calls, pictures, a document, errors, blanks and a denial': (_, tag) => ({
    input: [
      { type: 'text', text: `task-${tag}` },
      { type: 'image', mediaType: 'image/png', data: png },
      { type: 'file', mediaType: 'application/pdf', data: paper, name: 'paper.pdf' },
    ],
    replies: [
      {
        reasoning: `first-thought-${tag}`,
        text: `I look. ${tag}`,
        calls: [look(`${tag}-picture`), look(`${tag}-wrong`), look(`${tag}-plain`)],
      },
      {
        text: ' \n',
        calls: [
          { name: 'söme.tool/of mine', input: { text: `unknown-${tag}` } },
          { name: 'look', input: { at: 7, note: `invalid-${tag}` } },
          { name: 'delete', input: { at: `denied-${tag}` } },
        ],
      },
      { reasoning: `second-thought-${tag}`, calls: [look(`${tag}-again`)] },
      { text: `Done ${tag}.` },
    ],
    status: 'completed',
    said: [
      `task-${tag}`,
      { data: png, mediaType: 'image/png' },
      { data: paper, mediaType: 'application/pdf', named: ' named paper.pdf' },
      `I look. ${tag}`,
      `saw ${tag}-picture`,
      { data: shot, mediaType: 'image/png' },
      `broken ${tag}-wrong`,
      `saw ${tag}-plain`,
      `unknown-${tag}`,
      `invalid-${tag}`,
      `denied-${tag}`,
      `saw ${tag}-again`,
      `Done ${tag}.`,
    ],
    thoughts: [`first-thought-${tag}`, `second-thought-${tag}`],
  }),
  'an answer that was cut': ({ cut }, tag) => ({
    input: `cut-task-${tag}`,
    replies: [{ text: `Half of ${tag} and`, finish: cut }],
    status: 'incomplete',
    said: [`cut-task-${tag}`, `Half of ${tag}`],
  }),
  'arguments that are no JSON': (_, tag) => ({
    input: `garble-${tag}`,
    replies: [{ calls: [{ name: 'look', rawInput: `{"at":"${tag}` }, look(`${tag}-whole`)] }, `Sorry ${tag}.`],
    status: 'completed',
    said: [`garble-${tag}`, `Sorry ${tag}.`],
  }),
  'a turn aborted while it was said': (_, tag) => ({
    input: `stop-task-${tag}`,
    replies: [
      { reasoning: `lost-thought-${tag}`, text: [`Begun ${tag}`, ' and', ' more'], calls: [look(tag)], breaks: { after: 3, with: 'hang' } },
    ],
    status: 'aborted',
    abortAt: 'text.delta',
    said: [`stop-task-${tag}`],
  }),
  'a turn aborted in a call': (_, tag) => ({
    input: `halt-task-${tag}`,
    replies: [
      { reasoning: `held-thought-${tag}`, text: `I wait. ${tag}`, calls: [{ name: 'wait', input: { at: `wait-${tag}` } }, look(tag)] },
    ],
    status: 'aborted',
    abortAt: 'call.started',
    said: [`halt-task-${tag}`, `I wait. ${tag}`, `wait-${tag}`],
    thoughts: [`held-thought-${tag}`],
  }),
  'a call that the provider runs': ({ serverRun }, tag) => ({
    input: `find-${tag}`,
    replies: [serverRun?.(`Found ${tag}.`.replaceAll(/[ .]/g, '')) ?? `Found${tag}`],
    status: 'completed',
    said: [`find-${tag}`, `Found${tag}`],
  }),
}

export const working: Kind = (_, tag) => ({
  input: `more-${tag}`,
  replies: [{ reasoning: `calm-thought-${tag}`, calls: [look(tag)] }, `Ready ${tag}.`],
  status: 'completed',
  said: [`more-${tag}`, `saw ${tag}`, `Ready ${tag}.`],
  thoughts: [`calm-thought-${tag}`],
})

/** A session that goes from side to side, each with one server for all of it. */
export class HandedSession {
  readonly #store: () => Store
  /** By their side: what its requests have held of what belongs to it alone. */
  readonly #opaque = new Map<string, Set<string>>()
  readonly #players = new Map<string, { readonly server: FakeServer; model: Model }>()
  readonly #said: (string | Shown)[] = []
  readonly #thoughts: { readonly side: string; readonly text: string }[] = []
  readonly #begun = new Map<string, readonly string[]>()
  /** Whose providers have run a call themselves. */
  readonly #ran = new Set<string>()
  #id: string | undefined

  /** @param store Asked for each run, so that each may read what it goes on with. Default: one in memory. */
  constructor(store?: () => Store) {
    const own = memory()
    this.#store = store ?? (() => own)
  }

  opaque(name: string): readonly string[] {
    return [...(this.#opaque.get(name) ?? [])]
  }

  /** Plays the legs one after the other and holds each request to what has been said before it. */
  async play(legs: readonly { readonly side: Side; readonly episodes: readonly Episode[]; readonly renewed?: boolean }[]): Promise<void> {
    try {
      for (const { side } of legs) {
        if (this.#players.has(side.name)) continue
        const script = legs.flatMap((leg) =>
          leg.side === side ? leg.episodes.flatMap(({ replies }) => replies.map((reply) => said(reply, side))) : [],
        )
        const server = await side.start(script)
        this.#players.set(side.name, { server, model: side.model(server.url) })
      }
      for (const { side, episodes, renewed } of legs) {
        const player = this.#players.get(side.name)
        if (player === undefined) throw new Error('it was started above')
        if (renewed === true) player.model = side.model(player.server.url)
        for (const episode of episodes) await this.#run(side, player, episode)
      }
      for (const [name, { server }] of this.#players) expect(() => server.assertDone(), name).not.toThrow()
    } finally {
      for (const { server } of this.#players.values()) await server.close()
    }
  }

  async #run(side: Side, { server, model }: { readonly server: FakeServer; readonly model: Model }, episode: Episode): Promise<void> {
    const before = server.requests.length
    const store = this.#store()
    const agent = new Agent({
      model,
      instructions: 'Be brief.',
      tools,
      store,
      settings: side.settings ?? {},
      policies: { graceMs: 20, retry: { baseMs: 1, capMs: 1 }, approvals: { rules: [{ action: 'deny', tool: 'delete' }] } },
    })
    const session = this.#id === undefined ? {} : { session: this.#id }
    const run = agent.stream(episode.input as string, { throwOnError: false, ...session })
    for await (const event of run) if (event.type === episode.abortAt) void run.abort('enough')
    const result = await run.result
    this.#id = result.sessionId
    await store.close()
    const about = `${side.name}, ${JSON.stringify(episode.input).slice(0, 40)}`
    expect(server.violations, about).toEqual([])
    expect(result.status, `${about}: ${JSON.stringify(result)}`).toBe(episode.status)
    const [first] = server.requests.slice(before)
    this.#check(side, first, about)
    this.#said.push(...episode.said)
    this.#thoughts.push(...(episode.thoughts ?? []).map((text) => ({ side: side.name, text })))
    if (episode.replies.some((reply) => typeof reply === 'object' && 'status' in reply)) this.#ran.add(side.name)
    const last = server.requests.at(-1)
    this.#begun.set(side.name, itemsOf(side, last).slice(0, -1))
    if (side.opaque === undefined) return
    const found = [
      ...Buffer.from(last?.bytes ?? [])
        .toString()
        .matchAll(side.opaque),
    ].flatMap(([, data]) => data ?? [])
    const seen = this.#opaque.get(side.name) ?? new Set()
    this.#opaque.set(side.name, new Set([...seen, ...found.filter((data) => data !== standIn)]))
  }

  /** What was said is there, foreign thoughts are not, and what this side has sent before is sent again byte for byte. */
  #check(side: Side, request: FakeRequest | undefined, about: string): void {
    const text = Buffer.from(request?.bytes ?? []).toString()
    expect(
      this.#said.map((one) => (typeof one === 'string' ? one : shownAt(side, one))).filter((one) => !text.includes(one)),
      `${about}: lost`,
    ).toEqual([])
    if (side.serverTrace !== undefined && this.#ran.has(side.name))
      expect(text, `${about}: the provider's own call`).toContain(side.serverTrace)
    for (const name of this.#ran) {
      const { serverTrace } = sides.find((one) => one.name === name) ?? {}
      if (serverTrace !== undefined && serverTrace !== side.serverTrace)
        expect(text, `${about}: the call of ${name}`).not.toContain(serverTrace)
    }
    const own = this.#thoughts.filter((one) => one.side === side.name).map((one) => one.text)
    const { thought } = side
    if (thought !== undefined)
      expect(
        own.filter((one) => !text.includes(thought(one))),
        `${about}: own thoughts`,
      ).toEqual([])
    const foreign = this.#thoughts.filter((one) => one.side !== side.name).map((one) => one.text)
    expect(
      foreign.filter((one) => text.includes(one)),
      `${about}: foreign thoughts`,
    ).toEqual([])
    for (const [name, seen] of this.#opaque)
      if (name !== side.name)
        expect(
          [...seen].filter((one) => text.includes(one)),
          `${about}: of ${name}`,
        ).toEqual([])
    const known = this.#opaque.get(side.name) ?? new Set<string>()
    expect(
      [...known].filter((one) => !text.includes(one)),
      `${about}: own data`,
    ).toEqual([])
    const sent = this.#begun.get(side.name) ?? []
    expect(itemsOf(side, request).slice(0, sent.length), `${about}: sent again`).toEqual(sent)
  }
}

function said(reply: Reply, side: Side): Reply {
  if (side.say === undefined || (typeof reply === 'object' && 'status' in reply)) return reply
  return side.say(typeof reply === 'string' ? { text: reply } : (reply as Answer))
}

function itemsOf({ list }: Side, request: FakeRequest | undefined): readonly string[] {
  const items = (request?.body as { readonly [field: string]: unknown } | undefined)?.[list]
  return Array.isArray(items) ? items.map((item) => JSON.stringify(item)) : []
}

function shownAt({ untaken = [] }: Side, { data, mediaType, named = '' }: Shown): string {
  return untaken.includes(mediaType) ? `a file of type ${mediaType}${named}` : data
}
