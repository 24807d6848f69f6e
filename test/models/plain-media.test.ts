import { expect, test } from 'vitest'
import type { MediaPart } from '../../src/core/message.ts'
import { plainMedia } from '../../src/models/plain-media.ts'

const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64')
const plain = (type: MediaPart['type'], mediaType: string, data: string) => {
  const found = plainMedia({ type, mediaType, data })
  return found === undefined ? undefined : [found.type, found.mediaType, found.data]
}

test.each([
  ['AAAA', 'AAAA'],
  ['AA==', 'AA=='],
  ['AAA', 'AAA='],
  ['AA=', 'AA=='],
  [' AA\r\nA- ', 'AAA+'],
  ['A-_A', 'A+/A'],
  ['AAAA\nAA==\n', 'AAAAAA=='],
  ['data:image/png;base64,AAA', 'AAA='],
  ['data:,%00', 'AA=='],
  ['https://a.test/x', 'https://a.test/x'],
  ['gs://a/x', 'gs://a/x'],
])('%j is %j', (data, expected) => {
  expect(plain('image', 'image/png', data)?.[2]).toBe(expected)
})

test.each(['', ' \n', '=', '==', 'A', 'AAAAA', 'a b!', 'AA==AA', 'data:', 'data:,', 'data:image/png', 'data:;base64,', 'data:;base64,%'])(
  '%j has nothing to show',
  (data) => expect(plain('file', 'application/pdf', data)).toBeUndefined(),
)

test('a text that was given as it is', () => {
  expect(plain('file', 'Text/Plain', 'Grüße, du!')?.[2]).toBe(Buffer.from('Grüße, du!').toString('base64'))
  for (const data of ['', ' \n', 'data:', 'data:text/plain;base64,%']) expect(plain('file', 'text/plain', data)).toBeUndefined()
})

test.each(['file:///a.png', 'FILE:a', 'blob:https://a.test/x', 'C:\\a.png', 'c:/a.png', 'https://', 'http://a b/'])(
  '%j is nowhere that a server could look',
  (data) => expect(plain('image', 'image/png', data)).toBeUndefined(),
)

test.each([
  ['image', 'IMAGE/PNG', 'AAAA', 'image', 'image/png'],
  ['file', 'IMAGE/PNG', 'AAAA', 'image', 'image/png'],
  ['file', 'image/JPG; q=1', 'AAAA', 'image', 'image/jpeg'],
  ['file', 'Text/CSV; charset=utf-8', 'AAAA', 'file', 'text/csv'],
  ['image', 'image/svg+xml', 'AAAA', 'file', 'image/svg+xml'],
  ['image', 'application/pdf', 'AAAA', 'file', 'application/pdf'],
  ['image', '', 'AAAA', 'image', 'image/png'],
  ['image', 'image/*', 'AAAA', 'image', 'image/png'],
  ['image', 'jpeg', 'data:image/jpeg;base64,AAAA', 'image', 'image/jpeg'],
  ['file', ' ', 'data:text/csv,a', 'file', 'text/csv'],
  ['file', 'application/octet-stream', 'data:,a', 'file', 'application/octet-stream'],
  ['file', 'a"b/c', 'AAAA', 'file', 'application/octet-stream'],
  ['image', '', 'https://a.test/x', 'image', 'image/png'],
  ['file', '', 'https://a.test/x', 'file', 'application/octet-stream'],
] as const)('a %s of type %j, %s, is a %s of type %s', (type, mediaType, data, shown, shownType) => {
  expect(plain(type, mediaType, data)?.slice(0, 2)).toEqual([shown, shownType])
})

test.each([
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff\xe0', 'image/jpeg'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['RIFF\xff\xff\xff\xffWEBPVP8 ', 'image/webp'],
])('%j is of the type that it is, whatever image it was said to be', (bytes, mediaType) => {
  for (const said of ['image/png', 'image/heic', '', 'application/octet-stream'])
    for (const type of ['image', 'file'] as const) expect(plain(type, said, base64(bytes))).toEqual(['image', mediaType, base64(bytes)])
  expect(plain('file', 'text/plain', base64(bytes))?.[1]).toBe('text/plain')
})

test('a PDF of which nobody said so', () => {
  for (const type of ['image', 'file'] as const)
    expect(plain(type, '', base64('%PDF-1.7'))?.slice(0, 2)).toEqual(['file', 'application/pdf'])
})

test('what is long does not fill the stack', () => {
  const long = 'A'.repeat(50_000_000)
  expect(plain('image', 'image/png', `${long}AA==`)?.[2]?.length).toBe(50_000_004)
})
