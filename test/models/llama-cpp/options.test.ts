import { describe, expect, test } from 'vitest'
import { type LlamaCppOptions, llamaCpp } from '../../../src/models/llama-cpp/index.ts'
import { loadPeer } from '../../../src/models/llama-cpp/peer.ts'

describe('options', () => {
  test('all that is wrong is said at once, and nothing is loaded', () => {
    const wrong = { model: 'a.gguf', contextSize: 1.5, sequences: 0, threads: 'all', gpu: 'on', constrain: 1, think: true, id: '' }
    expect(() => llamaCpp(wrong as unknown as LlamaCppOptions)).toThrow(
      expect.objectContaining({
        code: 'ConfigInvalid',
        message:
          "llamaCpp: unknown option 'model': did you mean 'modelPath'?; modelPath is missing: it must be the path of a GGUF file; " +
          "contextSize must be a whole number of tokens, 64 or more, not 1.5; sequences must be a whole number from 1 to 64, not 0; threads must be a whole number from 1 to 1,024, not 'all'; " +
          "gpu must be 'auto', 'metal', 'cuda', 'vulkan' or false, not 'on'; constrain must be a boolean, not 1; think must be 'tagged' or 'inside', not a boolean; id must be a text that is not empty, not ''.",
      }),
    )
    expect(() => llamaCpp('a.gguf' as unknown as LlamaCppOptions)).toThrow(/pass an object, as \{ modelPath: '.\/model.gguf' \}/)
  })

  test('what is known before the file is', () => {
    const { provider, id, capabilities } = llamaCpp({ modelPath: '/models/qwen3-4b-q4.gguf' })
    expect([provider, id]).toEqual(['llama-cpp', 'qwen3-4b-q4.gguf'])
    expect(capabilities).toEqual({ structuredOutput: 'native', parallelCalls: true, imagesInResults: false, reasoning: true })
    expect(llamaCpp({ modelPath: 'a.gguf', id: 'b', contextSize: 512, constrain: false })).toMatchObject({
      id: 'b',
      capabilities: { contextWindow: 512, structuredOutput: 'prompt' },
    })
  })
})

describe('the optional peer', () => {
  test('its absence is an error with the command that installs it', async () => {
    const absent = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
    await expect(loadPeer(() => Promise.reject(absent))).rejects.toMatchObject({
      code: 'ConfigInvalid',
      message: 'llamaCpp() needs the package node-llama-cpp: npm install node-llama-cpp@3',
    })
  })

  test('one that is there and can not be loaded says why', async () => {
    await expect(loadPeer(() => Promise.reject(new Error('libgomp.so.1 is missing')))).rejects.toThrow(
      /could not be loaded: libgomp\.so\.1 is missing/,
    )
  })
})
