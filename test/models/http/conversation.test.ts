import { expect, test, vi } from 'vitest'
import { type Message, textMessage, textOf } from '../../../src/core/message.ts'
import { Transcript } from '../../../src/core/transcript.ts'
import { Conversation, type Piece, type Writing } from '../../../src/models/http/conversation.ts'
import { Conversations } from '../../../src/models/http/conversations.ts'
import { failed, open, play, responded, rounds, type Steps, started, steer } from '../../core/support.ts'
import { plainWriting, listed as said } from '../openai-chat/support.ts'

function user(text: string): Message {
  return textMessage('user', text)
}

function called(n: number, id: string): Message {
  const settlement = { outcome: 'ok', output: 'r' } as const
  return {
    id: `m${n}`,
    role: 'assistant',
    parts: [{ type: 'tool-call', callId: `m${n}.0`, providerCallId: id, toolName: 't', input: {}, settlement }],
  }
}

test('a longer history begins with the bytes of the shorter one', () => {
  const messages = [user('a'), called(1, 'x'), user('ö😀'), called(2, 'y')]
  const conversation = new Conversation(plainWriting)
  let before = Buffer.alloc(0)
  for (let count = 1; count <= messages.length; count++) {
    const bytes = Buffer.concat(conversation.encode(messages.slice(0, count)))
    expect(bytes.subarray(0, before.length)).toEqual(before)
    before = bytes
  }
  expect(Buffer.concat(new Conversation(plainWriting).encode(messages))).toEqual(before)
})

test('whether there are calls is told of the messages that were asked for, not of those that are known', () => {
  const conversation = new Conversation(plainWriting)
  const messages = [user('a'), called(1, 'x')]
  const hasCalls = (count: number) => {
    conversation.encode(messages.slice(0, count))
    return conversation.hasCalls
  }
  expect([hasCalls(0), hasCalls(1), hasCalls(2), hasCalls(1), hasCalls(2)]).toEqual([false, false, true, false, true])
})

test('each message is encoded once', () => {
  const conversation = new Conversation(plainWriting)
  const counted = { role: 'user', parts: [{ type: 'text', text: 'a' }] } as const
  let reads = 0
  const message = {
    ...counted,
    get parts() {
      reads++
      return counted.parts
    },
  }
  for (let i = 0; i < 5; i++) conversation.encode([message])
  const once = reads
  conversation.encode([message, user('b')])
  expect(reads).toBe(once)
})

test('another history from some message on is encoded anew from there, and earlier bytes stay as they were', () => {
  const conversation = new Conversation(plainWriting)
  const [a, b, c] = [user('a'), user('b'), user('c')]
  const first = conversation.encode([a, b])
  const copy = Buffer.concat(first)
  expect(said(conversation.encode([a, c]))).toEqual([
    { role: 'user', content: 'a' },
    { role: 'user', content: 'c' },
  ])
  expect(Buffer.concat(first)).toEqual(copy)
  expect(said(conversation.encode([a]))).toEqual([{ role: 'user', content: 'a' }])
  expect(said(conversation.encode([]))).toEqual([])
})

test('B014 a server that gives every call the same id: each is sent under its own, and the same one every time', () => {
  const history = [called(1, 'call_0'), called(2, 'call_0'), called(3, 'call_0')]
  const conversation = new Conversation(plainWriting)
  conversation.encode(history.slice(0, 2))
  const bytes = conversation.encode(history)
  const ids = (said(bytes) as { tool_calls?: { id: string }[] }[]).flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id))
  expect(ids).toEqual(['call_0', 'call_m2_0', 'call_m3_0'])
  expect(new Conversation(plainWriting).encode(history)).toEqual(bytes)
})

test('a long text is measured before room is made for it', () => {
  const conversation = new Conversation(plainWriting)
  const text = 'ä'.repeat(200_000)
  expect(said(conversation.encode([user('a'), user(text)]))).toEqual([
    { role: 'user', content: 'a' },
    { role: 'user', content: text },
  ])
  expect(conversation.size).toBeLessThan(500_000)
})

test('sessions that were not used for long are let go, and come back as they were', () => {
  const kept = new Conversations(plainWriting)
  const big = user('x'.repeat(20 * 1024 * 1024))
  const encode = (sessionId: string) => kept.with(sessionId, (conversation) => ({ conversation, bytes: conversation.encode([big]) }))
  const first = encode('s1')
  for (const sessionId of ['s2', 's3', 's4']) encode(sessionId)
  const again = encode('s1')
  expect(again.conversation).not.toBe(first.conversation)
  expect(Buffer.concat(again.bytes).equals(Buffer.concat(first.bytes))).toBe(true)
  expect(encode('s4').conversation).toBe(encode('s4').conversation)
})

test('of a session that goes on only what is new is looked at, however long it is', () => {
  const looks = vi.spyOn(Transcript.prototype, 'at')
  const conversation = new Conversation(plainWriting)
  const state = play(open.slice(0, 2), rounds(300), started(301))
  conversation.encode(Transcript.of(state, 0))
  looks.mockClear()
  conversation.encode(Transcript.of(state, 0))
  expect(looks).toHaveBeenCalledTimes(1)
  looks.mockRestore()
})

test('a revision that leaves as many messages as there were is seen', () => {
  const conversation = new Conversation(plainWriting)
  const steps: Steps = [open, responded(1, 'Yes.'), steer('And?')]
  const summary = textMessage('summary', 'In short.')
  const revised = { kind: 'history.revised', data: { ok: true, reason: 'compaction', throughTurn: 1, with: [summary] } } as const
  conversation.encode(Transcript.of(play(...steps)))
  const state = play(...steps, revised)
  // The same objects, as in a session that is driven on.
  const before = play(...steps)
  conversation.encode(Transcript.of(before))
  const after = { ...before, live: { ...before.live, prefix: state.live.prefix, from: state.live.from } }
  expect(conversation.encode(Transcript.of(after))).toEqual(new Conversation(plainWriting).encode(Transcript.of(after)))
  expect(said(conversation.encode(Transcript.of(after)))).not.toEqual(said(new Conversation(plainWriting).encode(Transcript.of(before))))
})

test('a shorter history of the same story, and then a longer one', () => {
  const conversation = new Conversation(plainWriting)
  const state = play(open, failed(1, { partial: 'Half' }), steer('one'), steer('two'))
  const all = Buffer.concat(conversation.encode(Transcript.of(state)))
  const one = Transcript.of(state, state.live.seq - 1)
  expect(conversation.encode(one)).toEqual(new Conversation(plainWriting).encode(one))
  expect(Buffer.concat(conversation.encode(Transcript.of(state)))).toEqual(all)
})

test('a piece may be written otherwise when it is the last, and something may stand behind all; neither is kept', () => {
  const writing: Writing = {
    encode: (message) => {
      const body = `{"text":${JSON.stringify(textOf(message))}}`
      const piece: Piece = {
        role: message.role === 'user' ? 'user' : 'assistant',
        joins: message.role,
        open: '{"all":[',
        body,
        close: ']}',
      }
      return { pieces: [message.role === 'user' ? piece : { ...piece, whenLast: { drop: 3, put: '"}' } }], ids: [] }
    },
  }
  const conversation = new Conversation(writing)
  const answer: Message = { role: 'assistant', parts: [{ type: 'text', text: 'b ' }] }
  const behind: Piece = { role: 'user', joins: 'user', open: '{"all":[', body: '{"text":"more"}', close: ']}' }
  expect(said(conversation.encode([user('a'), answer]))).toEqual([{ all: [{ text: 'a' }] }, { all: [{ text: 'b' }] }])
  expect(said(conversation.encode([user('a'), answer], ',"mark":1', () => behind))).toEqual([
    { all: [{ text: 'a' }] },
    { all: [{ text: 'b ' }] },
    { all: [{ text: 'more', mark: 1 }] },
  ])
  expect(said(conversation.encode([user('a')], '', () => behind))).toEqual([{ all: [{ text: 'a' }, { text: 'more' }] }])
  expect(said(conversation.encode([user('a'), answer, user('c')]))).toEqual([
    { all: [{ text: 'a' }] },
    { all: [{ text: 'b ' }] },
    { all: [{ text: 'c' }] },
  ])
})

test('a message is written with the one before it, and the last ones can be asked for', () => {
  const before: (Message | undefined)[] = []
  const conversation = new Conversation({
    encode: (_, __, last) => {
      before.push(last)
      return { pieces: [], ids: [] }
    },
  })
  const [a, b, c] = [user('a'), user('b'), user('c')]
  conversation.encode([a, b, c])
  expect(before).toEqual([undefined, a, b])
  expect([
    conversation.recent(() => true, 3),
    conversation.recent((one) => one === a, 3),
    conversation.recent((one) => one === a, 2),
  ]).toEqual([c, a, undefined])
  conversation.encode([a, b])
  expect(conversation.recent(() => true, 1)).toBe(b)
})
