import { describe, expect, test } from 'vitest'
import { httpError, quietOverflow, streamError, windowFilled } from '../../src/models/errors.ts'

/** A row of appendix A of the field reports: who, which status (also 200 with the error inside), which body, which numbers. */
interface Row {
  readonly server: string
  readonly status: number
  readonly body: unknown
  readonly told?: string
}

const said = (message: string, type = 'invalid_request_error', code?: string) => ({ error: { message, type, code } })

const rows: readonly Row[] = [
  {
    server: 'OpenAI',
    status: 400,
    body: said('Your input exceeds the context window of this model', undefined, 'context_length_exceeded'),
  },
  {
    server: 'OpenAI, in words only',
    status: 400,
    body: said("This model's maximum context length is 4,097 tokens. However, your messages resulted in 4,294 tokens."),
    told: '4294 tokens, limit 4097 tokens',
  },
  {
    server: 'OpenAI-compatible',
    status: 400,
    body: said(
      "You passed 8193 input tokens and requested 512 output tokens. However, the model's context length is only 8192 tokens",
      'BadRequestError',
      'context_length_exceeded',
    ),
    told: '8193 tokens, limit 8192 tokens',
  },
  {
    server: 'LiteLLM',
    status: 400,
    body: said("Requested token count exceeds the model's maximum context length of 131072 tokens"),
    told: 'limit 131072 tokens',
  },
  {
    server: 'Anthropic',
    status: 400,
    body: { type: 'error', error: { type: 'invalid_request_error', message: 'prompt is too long: 213462 tokens > 200000 maximum' } },
    told: '213462 tokens, limit 200000 tokens',
  },
  {
    server: 'Anthropic, input and output',
    status: 400,
    body: {
      error: { type: 'invalid_request_error', message: 'input length and `max_tokens` exceed context limit: 190001 + 20000 > 200000' },
    },
    told: '190001 tokens, limit 200000 tokens',
  },
  { server: 'Anthropic, by bytes', status: 413, body: { type: 'error', error: { type: 'request_too_large', message: 'too big' } } },
  ...[400, 500].map((status) => ({
    server: 'Gemini',
    status,
    body: { error: { code: status, message: 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).' } },
    told: '1196265 tokens, limit 1048575 tokens',
  })),
  {
    server: 'vLLM',
    status: 400,
    body: {
      object: 'error',
      message:
        "This model's maximum context length is 32768 tokens. However, you requested 4096 output tokens and your prompt contains at least 28673 input tokens, for a total of at least 32769 tokens.",
      type: 'BadRequestError',
      code: 400,
    },
    told: '28673 tokens, limit 32768 tokens',
  },
  ...[200, 400, 500].map((status) => ({
    server: 'B119 llama.cpp',
    status,
    body: {
      error: {
        code: status === 500 ? 500 : 400,
        message: 'the request exceeds the available context size. try increasing the context size or enable context shift',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 1407,
        n_ctx: 256,
      },
    },
    told: '1407 tokens, limit 256 tokens',
  })),
  {
    server: 'ds4-server',
    status: 400,
    body: said('Prompt has 9000 tokens, but the configured context size is 8192 tokens'),
    told: '9000 tokens, limit 8192 tokens',
  },
  { server: 'ds4-server, newer', status: 400, body: said('no', 'context_exceeded') },
  {
    server: 'Ollama',
    status: 400,
    body: { error: 'prompt too long; exceeded max context length by 77 tokens' },
    told: '77 tokens too many',
  },
  {
    server: 'OpenRouter',
    status: 400,
    body: said("This endpoint's maximum context length is 262000 tokens. However, you requested about 263390 tokens (658 of text input)."),
    told: '263390 tokens, limit 262000 tokens',
  },
  {
    server: 'OpenRouter, the words of its upstream',
    status: 400,
    body: {
      error: {
        message: 'Provider returned error',
        code: 400,
        metadata: {
          raw: JSON.stringify(
            said("This model's maximum context length is 262144 tokens. However, your messages resulted in 262897 tokens."),
          ),
        },
      },
    },
    told: '262897 tokens, limit 262144 tokens',
  },
  {
    server: 'OpenRouter/Poolside',
    status: 400,
    body: said('Input length 265330 exceeds the maximum allowed input length of 262144 tokens.'),
    told: '265330 tokens, limit 262144 tokens',
  },
  {
    server: 'xAI',
    status: 400,
    body: {
      code: 'invalid-argument',
      error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    },
    told: '537812 tokens, limit 131072 tokens',
  },
  ...[400, 413].map((status) => ({
    server: 'Groq',
    status,
    body: said('Please reduce the length of the messages or completion.', undefined, 'context_length_exceeded'),
  })),
  {
    server: 'Together',
    status: 400,
    body: said("The input (40000 tokens) is longer than the model's context length (32769 tokens)."),
    told: '40000 tokens, limit 32769 tokens',
  },
  {
    server: 'Mistral',
    status: 400,
    body: {
      object: 'error',
      message: 'Prompt contains 140000 tokens and 0 draft tokens, too large for model with 131072 maximum context length',
      type: 'invalid_request_prompt',
      code: '3051',
    },
    told: '140000 tokens, limit 131072 tokens',
  },
  {
    server: 'LM Studio',
    status: 400,
    body: {
      error:
        'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 5000>= n_ctx: 4096). Try to load the model with a larger context length',
    },
    told: '5000 tokens, limit 4096 tokens',
  },
  {
    server: 'GitHub Copilot',
    status: 400,
    body: said('prompt token count of 70001 exceeds the limit of 64000', undefined, 'model_max_prompt_tokens_exceeded'),
    told: '70001 tokens, limit 64000 tokens',
  },
  { server: 'MiniMax', status: 400, body: said('invalid params, context window exceeds limit (2013)') },
  {
    server: 'Kimi',
    status: 400,
    body: said('Your request exceeded model token limit: 262144 (requested: 291351)'),
    told: '291351 tokens, limit 262144 tokens',
  },
  {
    server: 'DashScope/Qwen',
    status: 400,
    body: { code: 'InvalidParameter', message: 'Range of input length should be [1, 30720]' },
    told: 'limit 30720 tokens',
  },
  { server: 'Bedrock', status: 400, body: { message: 'Input is too long for requested model.' } },
]

/** What other servers and newer versions say: not in the appendix. */
const more: readonly Row[] = [
  {
    server: 'vLLM, the prompt alone',
    status: 400,
    body: {
      object: 'error',
      message:
        'The decoder prompt (length 9254) is longer than the maximum model length of 8192. Make sure that `max_model_len` is larger.',
      type: 'BadRequestError',
      code: 400,
    },
    told: '9254 tokens, limit 8192 tokens',
  },
  {
    server: 'vLLM, no room for the output',
    status: 400,
    body: said(
      "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is 8192 tokens and your request has 5000 input tokens (4096 > 8192 - 5000).",
      'BadRequestError',
    ),
    told: '5000 tokens, limit 8192 tokens',
  },
  {
    server: 'SGLang',
    status: 400,
    body: said(
      "Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a total of 9000 tokens: 8000 tokens from the input messages and 1000 tokens for the completion.",
    ),
    told: '9000 tokens, limit 8192 tokens',
  },
  {
    server: 'Vertex AI',
    status: 400,
    body: {
      error: {
        code: 400,
        message:
          'Unable to submit request because the input token count is 131335 but model only supports up to 131072. Reduce the input token count and try again.',
        status: 'INVALID_ARGUMENT',
      },
    },
    told: '131335 tokens, limit 131072 tokens',
  },
  {
    server: 'LM Studio, newer',
    status: 400,
    body: {
      error:
        'Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
    },
    told: '9000 tokens, limit 4096 tokens',
  },
  { server: 'llama.cpp, in the middle', status: 500, body: said('Context size has been exceeded.', 'server_error') },
  { server: 'Z.ai', status: 400, body: said('Prompt exceeds max length', undefined, '1261') },
  {
    server: 'Bedrock with Nova',
    status: 400,
    body: { message: 'The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length.' },
  },
  {
    server: 'Cohere',
    status: 400,
    body: {
      message: 'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000. Try using a shorter prompt',
    },
    told: '5000 tokens, limit 4081 tokens',
  },
  {
    server: 'Fireworks',
    status: 400,
    body: said('The prompt is too long: 140000, model maximum context length: 131071'),
    told: '140000 tokens, limit 131071 tokens',
  },
  {
    server: 'text-generation-inference',
    status: 422,
    body: {
      error:
        'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 20 `max_new_tokens`',
      error_type: 'validation',
    },
    told: '5000 tokens, limit 4096 tokens',
  },
  {
    server: 'text-generation-inference, the input alone',
    status: 422,
    body: { error: 'Input validation error: `inputs` must have less than 4095 tokens. Given: 5000', error_type: 'validation' },
    told: '5000 tokens, limit 4095 tokens',
  },
  {
    server: 'a gateway in Python',
    status: 400,
    body: {
      detail:
        "Error code: 400 - {'error': {'message': \"This model's maximum context length is 8192 tokens. However, you requested 8977 tokens\", 'type': 'x'}}",
    },
    told: '8977 tokens, limit 8192 tokens',
  },
  {
    server: 'a gateway that wraps JSON',
    status: 500,
    body: `litellm.BadRequestError: AnthropicException - ${JSON.stringify(said('prompt is too long: 9 tokens > 8 maximum'))}`,
    told: '9 tokens, limit 8 tokens',
  },
]

function classify(status: number, body: unknown, more: { provider?: string; emptyMeansOverflow?: boolean } = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return httpError({ provider: 'acme', status, header: () => undefined, body: text, ...more })
}

describe('appendix A: a too long input', () => {
  test.each([...rows, ...more])('$server, HTTP $status', ({ status, body, told }) => {
    const error = classify(status, body)
    expect([error.code, error.retryable]).toEqual(['ModelContextOverflow', false])
    const numbers = told === undefined ? `HTTP ${status}` : `${told}; HTTP ${status}`
    expect(error.message).toContain(`acme says that the input is too long for the model (${numbers}): `)
  })

  test.each([...rows, ...more].filter(({ status }) => status !== 413))('$server, the same in a stream', ({ body, told }) => {
    const error = streamError(body, { provider: 'acme' })
    expect([error.code, error.retryable]).toEqual(['ModelContextOverflow', false])
    expect(error.message).toContain(told ?? 'too long')
  })

  test.each([
    'context_length_exceeded',
    'exceed_context_size_error',
    'context_exceeded',
    'request_too_large',
    'model_context_window_exceeded',
    'model_max_prompt_tokens_exceeded',
  ])('the code %s alone says it', (code) => {
    expect(classify(400, { error: { code, message: 'no' } }).code).toBe('ModelContextOverflow')
  })

  test.each([
    ['Your input exceeds the context window of this model.', ''],
    ['the request exceeds the available context size, try increasing it', ''],
    ['request (2009 tokens) exceeds the available context size (512 tokens)', '2009 tokens, limit 512 tokens; '],
    ['Prompt tokens (9000) exceeds context size (8192)', '9000 tokens, limit 8192 tokens; '],
    ['Please reduce the length of the messages or completion.', ''],
  ])('the words alone say it: %s', (message, numbers) => {
    expect(classify(400, said(message)).message).toContain(`too long for the model (${numbers}HTTP 400)`)
  })

  test('B120 Cerebras: 413 without a body, and 400 without one where the server is known for it', () => {
    expect(classify(413, '').code).toBe('ModelContextOverflow')
    expect(classify(400, ' ', { emptyMeansOverflow: true }).code).toBe('ModelContextOverflow')
    expect(classify(400, '').code).toBe('ModelBadRequest')
    expect(classify(400, said('no'), { emptyMeansOverflow: true }).code).toBe('ModelBadRequest')
    expect(classify(413, '<html><head><title>413 Request Entity Too Large</title></head></html>').code).toBe('ModelContextOverflow')
  })

  test('B112 Ollama cut away the user: tried again a few times, with its text and a hint at the context size', () => {
    const error = classify(500, { error: 'no user query found in messages' })
    expect([error.code, error.retryable]).toEqual(['ModelContextOverflow', true])
    expect(error.message).toContain('no user query found in messages. It may have cut the input to its context size')
  })

  test('Ollama, HTTP 200: after a silent cut it tells what is left, which looks like any answer, unless nothing fits behind it', () => {
    const cut = { provider: 'ollama', inputTokens: 4_096, contextWindow: 4_096 }
    expect(quietOverflow({ ...cut, finishReason: 'stop', outputTokens: 40 })).toBeUndefined() // so `ollama()` asks for room (num_ctx)
    expect(quietOverflow({ ...cut, finishReason: 'length', outputTokens: 40 })).toBeUndefined()
    expect(quietOverflow({ ...cut, finishReason: 'length', outputTokens: 0 })?.code).toBe('ModelContextOverflow')
  })

  test('B120: servers that pass over it in silence', () => {
    const end = { provider: 'acme', finishReason: 'stop', inputTokens: 100, outputTokens: 5, contextWindow: 1_000 }
    const zai = quietOverflow({ ...end, inputTokens: 1_001 })
    expect([zai?.code, zai?.retryable]).toEqual(['ModelContextOverflow', false])
    expect(zai?.message).toBe(
      'acme says that the input is too long for the model (1001 tokens, limit 1000 tokens; HTTP 200, without an error): it ended with stop.',
    )
    expect(quietOverflow({ ...end, finishReason: 'model_context_window_exceeded' })).toBeUndefined()
    expect(windowFilled({ ...end, finishReason: 'model_context_window_exceeded', contextWindow: undefined }).code).toBe(
      'ModelContextOverflow',
    )
    expect(quietOverflow({ ...end, finishReason: 'length', inputTokens: 995, outputTokens: 0 })?.code).toBe('ModelContextOverflow')
    expect(quietOverflow(end)).toBeUndefined()
    expect(quietOverflow({ ...end, finishReason: 'length', inputTokens: 995 })).toBeUndefined()
    expect(quietOverflow({ ...end, finishReason: 'length', outputTokens: 0 })).toBeUndefined()
    expect(quietOverflow({ ...end, inputTokens: undefined, outputTokens: undefined, contextWindow: undefined })).toBeUndefined()
  })
})

describe('near misses that are no overflow', () => {
  const tpm =
    'Request too large for model `llama` in organization `org` on tokens per minute (TPM): Limit 6000, Requested 7000, please reduce your message size and try again.'
  test.each([
    ['B115 Bedrock throttling', 429, { message: 'Too many tokens, please wait before trying again.' }, 'ModelRateLimited', true],
    [
      'B115 the same as 400',
      400,
      { __type: 'com.x#ThrottlingException', message: 'Too many tokens, please wait' },
      'ModelRateLimited',
      true,
    ],
    ['B115 an overflow text under 429', 429, said('prompt is too long: 9 tokens > 8 maximum'), 'ModelRateLimited', true],
    ['B115 an overflow code under 503', 503, said('busy', '', 'context_length_exceeded'), 'ModelServerError', true],
    [
      'tokens per minute',
      429,
      said('Rate limit reached for gpt on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000.'),
      'ModelRateLimited',
      true,
    ],
    ['Groq, one request over the limit of a minute, as 413', 413, said(tpm, 'tokens', 'rate_limit_exceeded'), 'ModelRateLimited', false],
    [
      'too many output tokens asked for',
      400,
      said('max_tokens is too large: 100000. This model supports at most 16384 completion tokens'),
      'ModelBadRequest',
      false,
    ],
    [
      'Anthropic, the same',
      400,
      said('max_tokens: 99999 > 8192, which is the maximum allowed number of output tokens'),
      'ModelBadRequest',
      false,
    ],
    ['a limit of the output', 400, { error: { code: 400, message: 'Token limit reached' } }, 'ModelBadRequest', false],
    ['what a user said, in quotes', 400, said("Invalid value: 'my prompt is too long: 9 tokens > 8 maximum'."), 'ModelBadRequest', false],
    ['what a user said, in other quotes', 400, said('bad JSON near "exceeds the context window" (line 3)'), 'ModelBadRequest', false],
    [
      'what a user said, told by FastAPI',
      422,
      { detail: [{ loc: ['body', 'x'], msg: 'Field required', input: 'prompt is too long' }] },
      'ModelBadRequest',
      false,
    ],
    [
      'what the model said',
      400,
      { error: { message: 'no', code: 'tool_use_failed', failed_generation: 'prompt is too long' } },
      'ModelServerError',
      true,
    ],
  ] as const)('%s', (_title, status, body, code, retryable) => {
    const error = classify(status, body)
    expect([error.code, error.retryable]).toEqual([code, retryable])
  })
})
