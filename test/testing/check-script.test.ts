import { expect, test } from 'vitest'
import { fakeOpenAIChat, type Script, scripted } from '../../src/testing/index.ts'

test.each([
  ['Hello.', 'of type string'],
  [undefined, 'missing'],
])('replies that are no list (%j) are refused at once', async (script, says) => {
  const refusal = expect.objectContaining({ code: 'ConfigInvalid', message: expect.stringContaining(`as ['Hello.'], and are ${says}.`) })
  expect(() => scripted(script as unknown as Script)).toThrow(refusal)
  await expect(fakeOpenAIChat(script as never)).rejects.toEqual(refusal)
})
