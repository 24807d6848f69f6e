import { describe, expect, test } from 'vitest'
import { openai } from '../../../src/models/openai/index.ts'
import type { Reply } from '../../../src/testing/fake/reply.ts'
import { fakeResponses } from '../../../src/testing/fake/responses/index.ts'
import { responsesWords } from '../../../src/testing/fake/responses/words.ts'
import { fromScripted } from '../../../src/testing/fake/scripted.ts'
import { type Cast, modes, play, type Scene } from '../../acceptance/support/modes.ts'
import { scenes } from '../../acceptance/support/scenes.ts'

// The golden traces over HTTP: the same scenes, played by a server that validates each request, in the three modes. What the in-process
// script gives is written out in full elsewhere; here the two must agree.

const titles: { readonly [name in keyof typeof scenes]: string } = {
  noTool: 'golden trace 1: no tool',
  oneTool: 'golden trace 2: one tool',
  serial: 'golden trace 3: several tools, one after another',
  parallel: 'golden trace 4: several tools at once',
  failing: 'golden trace 5: a tool fails and the run goes on',
  aborted: 'golden trace 9: the user aborts',
}

/** What differs by who answers: the model's name, its ids, its words for the end, and when it answered. */
function agreed(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, part: unknown) =>
      ['at', 'model', 'providerCallId', 'providerData', 'requestId', 'raw', 'durationMs'].includes(key) ? undefined : part,
    ),
  )
}

function served(reply: Scene['script'][number]): Reply {
  if (typeof reply === 'function') throw new Error('a scene whose replies are functions can not be served')
  return fromScripted(reply, responsesWords)
}

for (const [name, title] of Object.entries(titles) as [keyof typeof scenes, string][])
  describe(title, () => {
    const scene: Scene = scenes[name]
    for (const stream of [true, false])
      for (const mode of modes)
        test(`promise 14: over HTTP, ${stream ? 'streamed' : 'whole'}, as ${mode}, as in process`, async () => {
          await using server = await fakeResponses(scene.script.map(served))
          const cast: Cast = {
            model: openai('fake', { baseURL: server.url, stream, apiKey: 'key' }),
            async until(clock, promise) {
              let settled = false
              const note = () => {
                settled = true
              }
              promise.then(note, note)
              while (!settled) {
                for (let pause = 0; pause < 20; pause++) await new Promise((resolve) => setImmediate(resolve))
                // Time stands still while the server is at work.
                if (!settled && server.requests.every(({ ended }) => ended !== 'open')) await clock.advance(5)
              }
              return promise
            },
            assertDone: () => server.assertDone(),
          }
          const [played, script] = [await play(mode, scene, cast), await play(mode, scene)]
          expect(agreed(played.events)).toEqual(agreed(script.events))
          expect(agreed(played.entries)).toEqual(agreed(script.entries))
          expect(agreed(played.result)).toEqual(agreed(script.result))
        })
  })
