import { expect, test } from 'vitest'
import { endpoint } from '../../../src/models/http/model.ts'

test.each([
  ['http://localhost:8080', 'http://localhost:8080/chat/completions'],
  ['http://localhost:8080/v1/', 'http://localhost:8080/v1/chat/completions'],
  ['http://localhost:8080/v1/chat/completions', 'http://localhost:8080/v1/chat/completions'],
  ['http://localhost:8080/v1/chat/completions/?api-version=1', 'http://localhost:8080/v1/chat/completions?api-version=1'],
  ['http://localhost:8080/chat', 'http://localhost:8080/chat/chat/completions'],
])('the path of an API is behind the base URL once: %s', (base, url) => expect(endpoint(base, '/chat/completions')).toBe(url))
