import { expect, test } from 'vitest'
import { blobBytes, toBase64 } from '../../src/core/media.ts'
import type { Message } from '../../src/core/message.ts'
import type { ModelRequest } from '../../src/core/model.ts'
import type { SessionState } from '../../src/core/state.ts'
import type { BlobStore } from '../../src/core/store.ts'
import { Transcript } from '../../src/core/transcript.ts'
import { noMediaFound, withMedia } from '../../src/engine/media.ts'
import { claimed, open, play, requested, responded, type Step, started, steer } from '../core/support.ts'

const shown = (ref: string): Message => ({ role: 'user', parts: [{ type: 'image', mediaType: 'image/png', ref }] })
const said = (ref: string): Step => ({ kind: 'message', data: { origin: 'steer', message: shown(ref) } })

/** What a request of this state has of each message, and which blobs were read for it. */
async function asked(state: SessionState, found = noMediaFound()) {
  const read: string[] = []
  const blobs: BlobStore = {
    put: () => Promise.reject(new Error('nothing is put')),
    get: async (ref) => {
      read.push(ref)
      return new TextEncoder().encode(ref)
    },
  }
  const request: ModelRequest = {
    instructions: '',
    messages: Transcript.of(state),
    tools: [],
    toolChoice: 'auto',
    settings: {},
    purpose: 'main',
  }
  const given = withMedia(blobs, found, state, request)
  const { messages } = await given
  const data = [...messages].flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'image' ? [atob(part.data ?? '')] : [])))
  return { data, read, waited: given instanceof Promise }
}

const base = [requested(), claimed(), said('a'), started(1), responded(1, 'Yes.'), said('b')]

test('turns and what still waits to become one are both looked at; a session without media waits for nothing', async () => {
  expect(await asked(play(base))).toEqual({ data: ['a', 'b'], read: ['a', 'b'], waited: true })
  expect(await asked(play(open, responded(1, 'Yes.'), steer('More')))).toEqual({ data: [], read: [], waited: false })
})

test('what was read is not read again, and waits for nothing', async () => {
  const state = play(base)
  const found = noMediaFound()
  expect((await asked(state, found)).read).toEqual(['a', 'b'])
  expect(await asked(state, found)).toEqual({ data: ['a', 'b'], read: [], waited: false })
})

test('media that a revision cut is not read; that of what stands for it is', async () => {
  const data = { ok: true, reason: 'compaction', throughTurn: 2, with: [shown('summary')] } as const
  const revised: Step = { kind: 'history.revised', data }
  expect(await asked(play(base, revised))).toEqual({ data: ['summary', 'b'], read: ['summary', 'b'], waited: true })
})

test('turns that a lost race replaced are looked at anew', async () => {
  const found = noMediaFound()
  const first = play(base.slice(0, 5))
  expect((await asked(first, found)).data).toEqual(['a'])
  const other = play([requested(), claimed(), said('c'), started(1), responded(1, 'No.')])
  expect(await asked(other, found)).toEqual({ data: ['c'], read: ['c'], waited: true })
})

test.each([0, 1, 2, 3, 24 * 1024 - 1, 24 * 1024, 24 * 1024 + 1, 100_000])('%i bytes as base64 and back', (length) => {
  const bytes = Uint8Array.from({ length }, (_, index) => (index * 7) % 256)
  const text = toBase64(bytes)
  expect(text === Buffer.from(bytes).toString('base64')).toBe(true)
  // Short texts stay as they are.
  expect(blobBytes(text)).toEqual(text.length > 8_192 ? bytes : undefined)
})
