import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { areOwn, describeWire, exchangesIn, wireCases, wireFolder } from '../setup/wire.ts'

let folder = ''

const meta = {
  provider: 'acme',
  api: 'chat-completions',
  streaming: false,
  status: 200,
  contentType: 'application/json',
  endpoint: '/v1/chat/completions',
  request: true,
  response: 'response.json',
  provenance: 'recorded',
  features: ['text'],
}

function write(path: string, content: unknown): void {
  const full = join(folder, path)
  mkdirSync(dirname(full), { recursive: true })
  writeFileSync(full, typeof content === 'string' ? content : JSON.stringify(content))
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rondo-wire-'))
  write('README.md', '# a file beside the folders')
  write('acme-chat/hello/meta.json', meta)
  write('acme-chat/hello/request.json', { model: 'm' })
  write('acme-chat/hello/response.json', '{"a":"é"}')
  const busy = {
    ...meta,
    request: false,
    status: 429,
    features: ['error-429'],
    headers: { 'Retry-After': '3' },
    provenance: 'reconstructed',
  }
  write('acme-chat/busy/meta.json', busy)
  write('acme-chat/busy/response.json', '{}')
  write('other-messages/talk/meta.json', { trace: true, steps: 11 })
  const step = { ...meta, api: 'messages', streaming: true, response: 'response.sse', features: ['text', 'tool-call'] }
  for (let n = 1; n <= 11; n++) {
    write(`other-messages/talk/step-${n}/meta.json`, step)
    write(`other-messages/talk/step-${n}/request.json`, { n })
    write(`other-messages/talk/step-${n}/response.sse`, `data: ${n}\r\n\r\n`)
  }
})

afterAll(() => rmSync(folder, { recursive: true }))

test('single cases and the steps of traces are listed, steps in the order of their numbers', () => {
  const cases = wireCases(folder)
  expect(cases.map(({ name, isTrace, exchanges }) => [name, isTrace, exchanges.length])).toEqual([
    ['acme-chat/busy', false, 1],
    ['acme-chat/hello', false, 1],
    ['other-messages/talk', true, 11],
  ])
  expect(cases[2]?.exchanges.map((one) => one.request())).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((n) => ({ n })))
})

test('an exchange has its meta data, its request and the bytes of its response', () => {
  const [busy, hello] = exchangesIn(folder, { api: 'chat-completions' })
  expect(hello?.meta).toEqual(meta)
  expect(hello?.request()).toEqual({ model: 'm' })
  expect(Buffer.from(hello?.response() ?? []).toString('latin1')).toBe('{"a":"\u00c3\u00a9"}')
  expect([busy?.header('retry-after'), busy?.header('x-none')]).toEqual(['3', undefined])
  expect(() => busy?.request()).toThrow('acme-chat/busy has no request')
})

test('a filter takes what is as asked in each of its keys', () => {
  const names = (filter: Parameters<typeof exchangesIn>[1]) => exchangesIn(folder, filter).map(({ name }) => name)
  expect(names({ status: (status) => status >= 400 })).toEqual(['acme-chat/busy'])
  expect(names({ provenance: ['recorded'], streaming: false })).toEqual(['acme-chat/hello'])
  expect(names({ features: ['text', 'tool-call'], api: 'chat-completions' })).toEqual([])
  expect(names({ features: ['text', 'tool-call'] })).toHaveLength(11)
  expect(names({ provider: 'nobody' })).toEqual([])
})

test('a damaged case is an error that names the file', () => {
  const damaged = mkdtempSync(join(tmpdir(), 'rondo-wire-'))
  const path = join(damaged, 'x-chat/y')
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, 'meta.json'), '{"provider":')
  expect(() => wireCases(damaged)).toThrow(/x-chat\/y\/meta\.json can't be read/)
  writeFileSync(join(path, 'meta.json'), '{"provider":"x"}')
  expect(() => wireCases(damaged)).toThrow(/x-chat\/y\/meta\.json lacks a key/)
  rmSync(damaged, { recursive: true })
})

test('an empty RONDO_WIRE means none, one that names no folder is an error', () => {
  expect(wireFolder('')).toBeUndefined()
  expect(wireFolder(folder)).toBe(folder)
  expect(() => wireFolder(join(folder, 'nowhere'))).toThrow(/RONDO_WIRE names no folder: .*nowhere/)
})

describeWire('with recordings', (given) => test('the tests get their folder', () => expect(given).toBe('a folder')), 'a folder')

describeWire('the recordings at hand', (given) => {
  test('can all be read', () => {
    const all = exchangesIn(given)
    expect(all.length).toBeGreaterThan(0)
    // A server may have answered with nothing; none of our own has.
    for (const one of all) expect(one.response().length > 0 || !areOwn(), one.name).toBe(true)
    for (const one of all) if (one.meta.request) expect(one.request(), one.name).toBeTypeOf('object')
  })
})
