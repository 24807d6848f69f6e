import { expect, test } from 'vitest'
import { parsedUrl } from '../../src/core/url.ts'

test('texts that are a URL, and others', () => {
  expect(parsedUrl('http://127.1/a b')?.href).toBe('http://127.0.0.1/a%20b')
  expect(parsedUrl('x?y', 'https://a.test/b/')?.href).toBe('https://a.test/b/x?y')
  for (const text of ['', 'a.test', 'http://', 'http://a b/', 'http://[::g]/']) expect(parsedUrl(text)).toBeUndefined()
})

test('asked however often, a name that is not ASCII is one', () => {
  let refused = 0
  for (let times = 0; times < 20_000; times++) if (parsedUrl('http://b\u00fccher.test/') === undefined) refused++
  expect(refused).toBe(0)
})
