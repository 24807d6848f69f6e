import { expect, test } from 'vitest'
import { base64Of, fileName, isRemote, urlOf } from '../../src/models/media-data.ts'

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

test.each([
  ['a.pdf', 'application/pdf', 'a.pdf'],
  ['a\ud800.pdf', 'application/pdf', 'a\ufffd.pdf'],
  [' ', 'application/pdf', 'file.pdf'],
  [undefined, 'Text/Plain; charset=utf-8', 'file.txt'],
  [undefined, 'text/csv', 'file.csv'],
  [undefined, 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'file.docx'],
  [undefined, 'application/x-tar', 'file.tar'],
  [undefined, 'application/vnd.api+json', 'file.json'],
  [undefined, 'application/epub+zip', 'file.epub'],
  [undefined, 'text/', 'file.bin'],
  [undefined, 'application/../../x', 'file.bin'],
  [undefined, '', 'file.bin'],
  [undefined, 'pdf', 'file.pdf'],
])('a file named %j of type %s is sent as %s', (name, mediaType, expected) => {
  expect(fileName(name === undefined ? { mediaType } : { mediaType, name })).toBe(expected)
})
