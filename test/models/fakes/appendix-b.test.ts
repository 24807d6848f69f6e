import { expect, test } from 'vitest'
import { apis } from './apis.ts'

// The rules of appendix B that hold everywhere, held by each server. Those of one API stand with its own.

test.each(Object.entries(apis))(
  '%s refuses a request that is no well-formed Unicode, in a value or in a name',
  async (_name, { serve, model }) => {
    await using good = await serve(['fine'])
    const { signal } = new AbortController()
    const request = {
      instructions: '',
      messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
      tools: [],
      toolChoice: 'auto',
      settings: {},
      purpose: 'main',
    } as const
    await model(good.url, { stream: false }).stream(request, () => {}, { signal, sessionId: 's' })
    const [{ path, headers, bytes } = { path: '', headers: {}, bytes: new Uint8Array() }] = good.requests
    const text = Buffer.from(bytes).toString()
    const { 'content-length': _length, ...kept } = headers as Record<string, string>
    for (const half of [text.replace('Hello', '\\ud83d'), text.replace('{', '{"\\ude00":1,')]) {
      await using server = await serve([])
      const response = await fetch(new URL(path, server.url), { method: 'POST', headers: kept, body: half })
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('no low surrogate')])
      expect(server.violations[0]?.rule).toBe('unicode')
    }
  },
)
