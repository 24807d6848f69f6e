import { expect, test } from 'vitest'
import { plainPath, plainPattern } from '../../src/core/plain-path.ts'

test.each([
  ['', ''],
  ['a', 'a'],
  ['git status', 'git status'],
  ['/', '/'],
  ['/etc/passwd', '/etc/passwd'],
  ['tmp/', 'tmp'],
  ['./tmp/a', 'tmp/a'],
  ['tmp/./a/.', 'tmp/a'],
  ['//etc///passwd', '/etc/passwd'],
  ['tmp/../etc/passwd', 'etc/passwd'],
  ['tmp/x/..', 'tmp'],
  ['tmp/..', ''],
  ['../../etc', '../../etc'],
  ['a/../../etc', '../etc'],
  ['/../../etc', '/etc'],
  ['/tmp/../etc', '/etc'],
  [String.raw`C:\Users\..\Windows`, 'C:/Windows'],
  [String.raw`tmp\..\etc`, 'etc'],
  ['tmp/%2e%2E/etc', 'etc'],
  ['tmp%2f..%5cetc', 'etc'],
  ['tmp/%252e%25252e/etc', 'etc'],
  ['a...b/..c/d..', 'a...b/..c/d..'],
  ['tmp/*/../a', 'tmp/a'],
  ['https://a.b//c?x=../y', 'https:/a.b/c?x=../y'],
])('the text %j is %j', (text, plain) => {
  expect(plainPath(text)).toBe(plain)
})

test.each([
  ['tmp/*', 'tmp/*'],
  ['./tmp//*/', 'tmp/*'],
  ['/srv/../etc/*', '/etc/*'],
  ['tmp/*/../x', 'tmp/*/../x'],
  ['../*', '../*'],
  ['https://a.b/*', 'https:/a.b/*'],
  [String.raw`C:\\Users\\*`, 'C:/Users/*'],
  [String.raw`C:\Users\a`, 'C:/Users/a'],
  [String.raw`what\?\*`, String.raw`what\?\*`],
  ['a%5c*', 'a/*'],
])('the pattern %j is %j', (pattern, plain) => {
  expect(plainPattern(pattern)).toBe(plain)
})
