import { expect, test } from 'vitest'
import { bodyKind } from '../../../src/models/transport/body-kind.ts'

test.each([
  ['text/event-stream; charset=utf-8', 'data: 1\n\n', 'event-stream'],
  ['text/event-stream', '', 'event-stream'],
  ['Application/JSON; charset=utf-8', '', 'json'],
  ['application/problem+json', '', 'json'],
  ['application/x-ndjson', '{"a":1}\n', 'ndjson'],
  [undefined, '', 'unknown'],
  [undefined, 'busy', 'unknown'],
  ['text/plain', 'busy', 'unknown'],
] as const)('the kind of %s "%s" is %s', (type, start, kind) => {
  expect(bodyKind(type, new TextEncoder().encode(start))).toBe(kind)
})

test.each([
  ['B089 a login page', 'text/html; charset=utf-8', '<!doctype html>', 'html'],
  ['B089 a login page that says it is a stream', 'text/event-stream', '\n<html>', 'html'],
  ['B089 an error for a request for a stream', 'application/json', '{"error":{}}', 'json'],
  ['B089 an error that says it is a stream', 'text/event-stream', ' {"error":{}}', 'json'],
  ['B090 a stream for a request for JSON', 'text/event-stream', 'event: a\n', 'event-stream'],
  ['B090 a stream that says it is JSON', 'application/json', 'data: {"a":1}\n\n', 'event-stream'],
  ['B090 a stream that begins with a comment and says nothing', undefined, ': PROCESSING\n', 'event-stream'],
  ['B090 JSON that says it is text', 'text/plain', '[{"a":1}]', 'json'],
] as const)('%s', (_title, type, start, kind) => {
  expect(bodyKind(type, new TextEncoder().encode(start))).toBe(kind)
})
