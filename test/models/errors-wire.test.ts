import { expect, test } from 'vitest'
import type { ErrorCode } from '../../src/core/error.ts'
import { httpError, streamError } from '../../src/models/errors.ts'
import { describeWire, type Exchange, exchangesIn } from '../setup/wire.ts'

interface Expected {
  readonly code: ErrorCode
  readonly retryable: boolean
  readonly retryAfterMs?: number
  /** What the message tells besides the code: numbers, and what to do. */
  readonly says?: string
}

const final = (code: ErrorCode, says?: string): Expected => ({ code, retryable: false, ...(says === undefined ? {} : { says }) })
const again = (code: ErrorCode, more: { retryAfterMs?: number; says?: string } = {}): Expected => ({ code, retryable: true, ...more })
const key = final('ModelAuthError', 'Check the API key.')
const server = again('ModelServerError')
const output = again('ModelServerError', { says: 'an error of the model, not an outage' })
const overflow = (says: string) => final('ModelContextOverflow', says)

/** Every recorded error and what it is. */
const errors: { readonly [name: string]: Expected } = {
  'anthropic-messages/anthropic-completion-invalid-api-key': key,
  'anthropic-messages/error-413-request-too-large': final('ModelContextOverflow'),
  'anthropic-messages/error-429-rate-limit': again('ModelRateLimited', { retryAfterMs: 37_000, says: '30,000 input tokens per minute' }),
  'anthropic-messages/error-500-api-error': server,
  'anthropic-messages/error-529-overloaded': server,
  'anthropic-messages/error-envelope-nonexistent-model-error-preserves-status-and-body': final('ModelBadRequest', 'Check the name'),
  'anthropic-messages/error-identity-edge-streaming-connect-4xx-matches-blocking-richness': final('ModelBadRequest', 'Check the name'),
  'anthropic-messages/mid-stream-overloaded': again('ModelServerError', { says: 'in the response): Overloaded.' }),
  'anthropic-messages/real-error-scenarios-anthropic-claude-haiku-4-5-handles-context-length-e': overflow(
    '3333404 tokens, limit 200000 tokens',
  ),
  'azure-chat/error-handling-with-azure-grok-4-1-fast-non-reasoning-raises-appropriate': key,
  'azure-chat/prompt-content-filtering': final('ModelContentBlocked', 'Azure Content management policy'),
  'deepseek-chat/error-402-insufficient-balance': final('ModelQuotaExceeded', 'Insufficient Balance. Look at the plan'),
  'deepseek-chat/error-handling-with-deepseek-deepseek-chat-raises-appropriate-auth-error': key,
  'deepseek-chat/real-error-scenarios-deepseek-deepseek-chat-handles-context-length-excee': overflow(
    '1250025 tokens, limit 1048565 tokens',
  ),
  'google-gemini/error-500-internal': server,
  'google-gemini/error-503-overloaded': server,
  'google-gemini/google-429-retry-info': again('ModelRateLimited', { retryAfterMs: 34_400 }),
  'google-gemini/mid-stream-raw-json-error': again('ModelServerError', { says: 'in the response, status 503): The model is overloaded.' }),
  'google-gemini/test-crew-multimodal-gemini-image-file-gemini-gemini-1-5-flash': final('ModelBadRequest', 'Check the name of the model'),
  'google-gemini/unary-failure-api-key': final('ModelAuthError', 'API key not valid. Please pass a valid API key. Check the API key.'),
  'groq-chat/response-identity-edge-provider-error-response-carries-request-id': final('ModelBadRequest', 'Check the name of the model.'),
  'groq-chat/tool-use-failed-error-streaming-with-text/step-1': output,
  'groq-chat/tool-use-failed-error-streaming/step-1': output,
  'groq-chat/tool-use-failed-error-with-text': output,
  'groq-chat/tool-use-failed-error/step-1': output,
  'llamacpp-chat/error-context-overflow-streaming': overflow('2009 tokens, limit 512 tokens'),
  'llamacpp-chat/error-malformed-request-field': final('ModelBadRequest', "Field 'temperature'"),
  'llamacpp-chat/error-missing-api-key-is-401': key,
  'llamacpp-chat/error-tools-without-jinja': final('ModelBadRequest', 'tools param requires --jinja flag'),
  'mistral-chat/response-identity-edge-blocking-error-carries-the-correlation-id': final('ModelBadRequest', 'Check the name of the model.'),
  'ollama-native/chat-error-records-model-name': final('ModelBadRequest', "model 'nonexistent-model:latest' not found"),
  'ollama-native/error-400-tools-unsupported': final('ModelBadRequest', 'does not support tools'),
  'ollama-native/mid-stream-error': again('ModelServerError', { says: 'unexpected EOF' }),
  'openai-chat/async-chat-completion-404': final('ModelBadRequest', 'Check the name of the model.'),
  'openai-chat/error-429-insufficient-quota': final('ModelQuotaExceeded'),
  'openai-chat/error-429-request-too-large-for-tpm': final('ModelRateLimited', 'Limit 30000, Requested 45012.'),
  'openai-chat/error-502-html-body': again('ModelServerError', { says: 'openai failed (HTTP 502): 502 Bad Gateway.' }),
  'openai-chat/error-503-overloaded': again('ModelServerError', { retryAfterMs: 20_000 }),
  'openai-chat/mid-stream-server-error': server,
  'openai-chat/test-input-value-image-hiding-input-value-hides-regular-url-images': final('ModelBadRequest'),
  'openai-responses/mid-stream-error-event': again('ModelRateLimited'),
  'openai-responses/openai-error-1': final('ModelQuotaExceeded'),
  'openai-responses/parallel-chat-structured-error-handling': key,
  'openai-responses/real-error-scenarios-openai-gpt-5-nano-handles-context-length-exceeded-e': final('ModelContextOverflow'),
  'openai-responses/responses-create-api-error-content-mode0': final('ModelBadRequest', 'Check the name of the model.'),
  'openai-responses/websocket-error-identity-handshake-rejection-matches-the-http-twin': key,
  'openrouter-chat/agent-knowledege-with-crewai-knowledge': key,
  'openrouter-chat/error-402-credits': final('ModelQuotaExceeded'),
  'openrouter-chat/openrouter-stream-error': final('ModelBadRequest', 'Token limit reached'), // of the output, not of the window
  'openrouter-chat/real-error-scenarios-openrouter-claude-haiku-4-5-handles-context-length': overflow(
    '2500021 tokens, limit 200000 tokens',
  ),
  'vertex-gemini/multimodal-tool-return-matrix-tool-return-content-url-image-google-verte/step-4': final('ModelBadRequest'),
  'vertex-gemini/streaming-failure-error-mid-stream': again('ModelServerError', { says: 'The operation was cancelled.' }),
  'vertex-gemini/unary-failure-iam-permission-denied': final('ModelAuthError', 'Check what the API key may do.'),
  'vertex-gemini/unary-failure-quota-exceeded': again('ModelRateLimited'),
  'vertex-gemini/unary-failure-unsupported-user-location': final('ModelBadRequest', 'User location is not supported'),
  'vllm-chat/ogx-d8658f2a': overflow('limit 4096 tokens; HTTP 400'), // it counted characters
  'xai-responses/error-handling-with-xai-grok-4-1-fast-non-reasoning-raises-appropriate-a': key,
  'xai-responses/response-identity-provider-error-classifies-with-contract-but-reports-no': final(
    'ModelBadRequest',
    'Check the name of the model.',
  ),
}

describeWire('B107, B108, B119: each recorded error is what it is', (folder) => {
  const recorded = exchangesIn(folder).filter(
    ({ meta }) => meta.status >= 400 || /mid-stream-error|error-in-200/.test(meta.features.join()),
  )

  test('each one has its row', () => {
    expect(recorded.map(({ name }) => name).sort()).toEqual(Object.keys(errors).sort())
  })

  test.each(recorded.map((exchange) => [exchange.name, exchange] as const))('%s', (name, exchange) => {
    const { says = '', ...expected } = errors[name] ?? { code: 'no row' }
    const error = errorOf(exchange)
    const { code, retryable, retryAfterMs } = error
    expect({ code, retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }).toEqual(expected)
    expect(error.message).toContain(says)
    expect(error.message).toMatch(/^[a-z]+ .+ \(.*(?:HTTP \d{3}|in the response).*\): .+[.!?…]$/)
    expect(error.message.length).toBeLessThan(1_100)
  })
})

function errorOf(exchange: Exchange) {
  const { meta } = exchange
  const body = Buffer.from(exchange.response()).toString('utf8')
  const { provider } = meta
  if (!meta.streaming) {
    const seconds = Number(exchange.header('retry-after') ?? 'none')
    const retryAfterMs = Number.isFinite(seconds) ? seconds * 1_000 : undefined
    return httpError({ provider, status: meta.status, header: exchange.header, body, retryAfterMs })
  }
  return streamError(errorIn(body), { provider })
}

/** The error in a stream: an event with one, a line of its own, or an object outside the frame. */
function errorIn(body: string): unknown {
  const lines = body.split('\n').map((line) => line.replace(/^data: ?/, ''))
  const found = lines.flatMap((line) => (/^\{.*"error"\s*:\s*["{]|^\{"type":"error"/.test(line) ? [JSON.parse(line)] : []))
  return found[0] ?? JSON.parse(body.slice(body.lastIndexOf('\n{')))
}
