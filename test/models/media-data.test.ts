import { expect, test } from 'vitest'
import { base64Of, isRemote, urlOf } from '../../src/models/media-data.ts'

const base64 = (bytes: readonly number[]) => Buffer.from(bytes).toString('base64')

test.each([
  ['AAAA', 'AAAA'],
  ['', ''],
  ['data:image/png;base64,AAAA', 'AAAA'],
  ['DATA:audio/mpeg;codecs=mp3;BASE64,AAAA', 'AAAA'],
  ['data:,a%20b', Buffer.from('a b').toString('base64')],
  ['data:text/plain;charset=utf-8,Gr%C3%BC%C3%9Fe ü', Buffer.from('Grüße ü').toString('base64')],
  ['data:image/png,%89PNG%00%ff', base64([0x89, 0x50, 0x4e, 0x47, 0, 0xff])],
  ['data:,100%,%zz%4', Buffer.from('100%,%zz%4').toString('base64')],
])('%s holds its bytes', (data, expected) => {
  expect(base64Of(data)).toBe(expected)
  expect(isRemote(data)).toBe(false)
})

test.each(['https://a.test/x.png', 'HTTP://a.test/', 'gs://bucket/x', 'file:///x'])('%s says where they are', (data) => {
  expect(base64Of(data)).toBeUndefined()
  expect(isRemote(data)).toBe(true)
  expect(urlOf({ data, mediaType: 'image/png' })).toBe(data)
})

test('base64 as a URL', () => {
  expect(urlOf({ data: 'AAAA', mediaType: 'image/png' })).toBe('data:image/png;base64,AAAA')
  expect(urlOf({ data: 'data:,x', mediaType: 'image/png' })).toBe('data:,x')
})
