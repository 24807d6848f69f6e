import { expect, test } from 'vitest'
import { type Message, textMessage } from '../../../src/core/message.ts'
import { Transcript } from '../../../src/core/transcript.ts'
import { ContinuedSessions } from '../../../src/models/openai-responses/continued.ts'
import { responsesWriting } from '../../../src/models/openai-responses/encode.ts'
import { open, play } from '../../core/support.ts'

const answer: Message = {
  id: 'm1',
  role: 'assistant',
  parts: [{ type: 'text', text: 'Yes.', providerData: { s: { response: 'resp_1' } } }],
}
const [hello, more] = [textMessage('user', 'Hello'), textMessage('user', 'And?')]

/** A session that holds these messages; `prefix` is what tells its story. */
function history(messages: readonly Message[], prefix: readonly never[]): Transcript {
  const state = play(open)
  const sealed = messages.map((message, seq) => ({ message, seq }))
  const live = { ...state.live, prefix, from: 0, sealedCount: sealed.length, queue: [] }
  return Transcript.of({ ...state, sealed, live } as unknown as typeof state)
}

function sessions(): ContinuedSessions {
  return new ContinuedSessions(responsesWriting({ scope: 's', store: true, mediaInResults: true }), 's')
}

function sent(made: ContinuedSessions, messages: Iterable<Message>, session = 'a'): unknown {
  const continued = made.next(messages, session)
  return continued === undefined ? 'all' : [continued.from, JSON.parse(`[${Buffer.from(continued.input).toString()}]`)]
}

const story: readonly never[] = []

test('what follows the last response goes on from it', () => {
  const made = sessions()
  expect(sent(made, history([hello], story))).toBe('all')
  expect(sent(made, history([hello, answer, more], story))).toEqual(['resp_1', [{ role: 'user', content: 'And?' }]])
})

test.each<[string, Iterable<Message>, string?]>([
  ['another story, be it as long', history([hello, answer, more], [])],
  ['another message in the place of the last one', history([textMessage('user', 'Hello'), answer, more], story)],
  ['an answer of another model', history([hello, { ...answer, parts: [{ type: 'text', text: 'Yes.' }] }, more], story)],
  ['no answer at all', history([hello, more], story)],
  ['nothing that is new', history([hello, answer], story)],
  ['another session', history([hello, answer, more], story), 'b'],
  ['a list of which nobody knows the story', [hello, answer, more]],
])('all is sent of a history with %s', (_, messages, session) => {
  const made = sessions()
  sent(made, history([hello], story))
  expect(sent(made, messages, session)).toBe('all')
})

test('what went on from a response can go back once', () => {
  const made = sessions()
  sent(made, history([hello], story))
  expect(made.goBack('a')).toBe(false)
  sent(made, history([hello], story))
  sent(made, history([hello, answer, more], story))
  expect([made.goBack('b'), made.goBack('a'), made.goBack('a')]).toEqual([false, true, false])
  expect(sent(made, history([hello, answer, more], story))).toBe('all')
})

test('all is sent where the calls of the response go by other ids here', () => {
  const made = sessions()
  const settlement = { outcome: 'ok', output: 'x' } as const
  const call = { type: 'tool-call', callId: 'm1.0', providerCallId: 'c', toolName: 'f', input: {}, settlement } as const
  const twice: Message = { ...answer, parts: [...answer.parts, call, { ...call, callId: 'm1.1' }] }
  sent(made, history([hello], story))
  expect(sent(made, history([hello, twice], story))).toBe('all')
})
