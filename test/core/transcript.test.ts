import { describe, expect, test } from 'vitest'
import { applyTo } from '../../src/core/apply.ts'
import { type Message, textOf } from '../../src/core/message.ts'
import { branch } from '../../src/core/state.ts'
import { Transcript } from '../../src/core/transcript.ts'
import { failed, journal, open, play, requested, responded, settledOk, started, steer } from './support.ts'

const texts = (messages: Iterable<Message>) => Array.from(messages, (message) => `${message.role}: ${textOf(message)}`)

const summary = { role: 'summary', parts: [{ type: 'text', text: 'In short.' }] } as const
const revised = { kind: 'history.revised', data: { ok: true, reason: 'compaction', throughTurn: 1, with: [summary] } } as const

describe('transcript', () => {
  test('sealed turns in order, then the queue up to what the call may see', () => {
    const state = play(open, responded(1, 'Yes.'), steer('one'), steer('two'))
    expect(texts(Transcript.of(state))).toEqual(['user: Hi', 'assistant: Yes.', 'user: one', 'user: two'])
    expect(texts(Transcript.of(state, 5))).toEqual(['user: Hi', 'assistant: Yes.', 'user: one'])
    expect(texts(Transcript.of(state, 4))).toEqual(['user: Hi', 'assistant: Yes.'])
  })

  test('an open turn is no part of it: no call stands there without its outcome', () => {
    expect(texts(Transcript.of(play(open, responded(1, { text: 'I look', calls: ['look'] }))))).toEqual(['user: Hi'])
    expect(texts(Transcript.of(play(open, responded(1, { text: 'I look', calls: ['look'] }), settledOk('m1.0'))))).toEqual([
      'user: Hi',
      'assistant: I look',
    ])
  })

  test('hidden messages are for the model', () => {
    expect(texts(Transcript.of(play(open, steer('psst', { hidden: true }))))).toEqual(['user: Hi', 'user: psst'])
  })

  test('shown text of a failed call stays', () => {
    expect(texts(Transcript.of(play(open, failed(1, { partial: 'Half' }))))).toEqual(['user: Hi', 'assistant: Half'])
  })

  test('after a revision: what it left, then the turns that it did not cover, then the queue', () => {
    const state = play(open, responded(1, 'Yes.'), steer('And?'), revised)
    expect(texts(Transcript.of(state))).toEqual(['summary: In short.', 'assistant: Yes.', 'user: And?'])
  })

  test('it may be walked again, and gives the same objects each time', () => {
    const messages = Transcript.of(play(requested(), ...open.slice(1), responded(1, 'Yes.')))
    expect([...messages]).toEqual([...messages])
    expect([...messages][1]).toBe([...messages][1])
  })

  test('what is appended later does not show', () => {
    const state = play(open)
    const messages = Transcript.of(state)
    const next = branch(state)
    for (const entry of journal(open, steer('later'), responded(1, 'Yes.')).slice(3)) applyTo(next, entry)
    expect(texts(messages)).toEqual(['user: Hi'])
    for (const entry of journal(open, responded(1, 'Yes.')).slice(3)) applyTo(state, entry)
    expect(texts(messages)).toEqual(['user: Hi'])
  })

  test('each message has its place, in all three parts of it', () => {
    const state = play(open, responded(1, 'Yes.'), steer('And?'), revised, started(2), responded(2, 'No.'), steer('one'), steer('two'))
    const messages = Transcript.of(state, state.live.seq - 1)
    expect(Array.from({ length: messages.length }, (_, place) => messages.at(place))).toEqual([...messages])
    expect(texts(messages)).toEqual(['summary: In short.', 'assistant: Yes.', 'user: And?', 'assistant: No.', 'user: one'])
    expect(() => messages.at(99)).toThrow(RangeError)
  })

  test('the story goes on with each entry, and is another one after a revision and in another reading of the journal', () => {
    const steps = [...open, responded(1, 'Yes.'), steer('And?')]
    const { story } = Transcript.of(play(steps))
    const state = play(steps)
    const same = Transcript.of(state).story
    const next = branch(state)
    for (const entry of journal(...steps, started(2), responded(2, 'No.')).slice(5)) applyTo(next, entry)
    expect([Transcript.of(next).story === same, Transcript.of(state).story === story]).toEqual([true, false])
    for (const entry of journal(...steps, started(2), responded(2, 'No.'), revised).slice(7)) applyTo(next, entry)
    expect(Transcript.of(next).story === same).toBe(false)
  })

  test('with other messages in the place of some', () => {
    const messages = Transcript.of(play(open, responded(1, 'Yes.'), steer('And?')))
    const told = messages.with(new WeakMap([[messages.at(1), { role: 'assistant', parts: [{ type: 'text', text: 'Of course.' }] }]]))
    expect(texts(told)).toEqual(['user: Hi', 'assistant: Of course.', 'user: And?'])
    expect([told.length, told.story]).toEqual([3, messages.story])
  })
})
