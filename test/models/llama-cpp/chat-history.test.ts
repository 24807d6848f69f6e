import { expect, test } from 'vitest'
import type { Message } from '../../../src/core/message.ts'
import { chatHistory } from '../../../src/models/llama-cpp/chat-history.ts'

test('of images and files the model is told: a session that has them goes on here', () => {
  const messages: Message[] = [
    {
      id: 'm1',
      role: 'user',
      parts: [
        { type: 'text', text: 'Look:' },
        { type: 'image', mediaType: 'image/png', data: 'AA==' },
        { type: 'file', mediaType: 'application/pdf', data: 'AA==', name: 'a.pdf' },
      ],
    },
    {
      id: 'm2',
      role: 'user',
      parts: [
        { type: 'image', mediaType: 'image/png', data: 'AA==' },
        { type: 'text', text: 'Well' },
        { type: 'text', text: '?' },
      ],
    },
    { id: 'm2', role: 'assistant', parts: [{ type: 'text', text: 'I see.' }] },
  ]
  const told = ["(Here was a file of type image/png, which can't be shown to you.)"]
  told.push("(Here was a file of type application/pdf named a.pdf, which can't be shown to you.)")
  expect(chatHistory('', messages)).toEqual([
    { type: 'user', text: ['Look:', ...told, told[0], 'Well?'].join('\n\n') },
    { type: 'model', response: ['I see.'] },
    { type: 'model', response: [] },
  ])
})
