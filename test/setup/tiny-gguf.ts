/**
 * A language model of half a megabyte: a GGUF file (v3) of the llama architecture with seeded random weights, for tests of inference in this process. The same
 * options give the same bytes. It knows nothing, but its words end: a consonant is followed by a vowel, and a vowel by the end of the word.
 *
 * How: the first dimensions of an embedding say of which kind its token is, one that it is there at all; no block writes into them. The output matrix
 * reads them, so it holds what is likely first, and what behind each kind. The other dimensions are random, and attention mixes them: which letter comes
 * depends on all that came before.
 */
export interface TinyGgufOptions {
  /** Default 1. */
  readonly seed?: number
  /** Tokens. Default 4,096. */
  readonly contextLength?: number
  /** More or less of a token, by its text: a printable character of ASCII, `▁` for a blank, `<|im_end|>`. */
  readonly bias?: { readonly [text: string]: number }
  /** Default: one of ChatML. */
  readonly chatTemplate?: string
}

const width = 64
const layers = 2
const heads = 4
const keyHeads = 2
const hidden = 128
const headWidth = width / heads

const chatml =
  "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\\n' + m['content'] + '<|im_end|>\\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"

const tokenTypes = { normal: 1, unknown: 2, control: 3, byte: 6 }

interface Token {
  readonly text: string
  readonly type: keyof typeof tokenTypes
}

function vocabulary(): readonly Token[] {
  const controls = ['<s>', '</s>', '<|im_start|>', '<|im_end|>'].map((text): Token => ({ text, type: 'control' }))
  const bytes = Array.from(
    { length: 256 },
    (_, byte): Token => ({ text: `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`, type: 'byte' }),
  )
  const printable = Array.from({ length: 0x7e - 0x20 }, (_, index): Token => ({ text: String.fromCharCode(0x21 + index), type: 'normal' }))
  return [{ text: '<unk>', type: 'unknown' }, ...controls, ...bytes, { text: '▁', type: 'normal' }, ...printable]
}

type Kind = 'consonant' | 'vowel' | 'digit' | 'quote' | 'closing' | 'end' | 'rare' | 'other'
const kinds: readonly Kind[] = ['consonant', 'vowel', 'digit', 'quote', 'closing', 'end', 'rare', 'other']

function kindOf({ text, type }: Token): Kind {
  if (text === '<|im_end|>') return 'end'
  // Escapes, exponents and blanks would go on without end.
  if (type !== 'normal' || /^[\\eE▁+.-]$/.test(text)) return 'rare'
  if (/^[aiou]$/.test(text)) return 'vowel'
  if (/^[a-z]$/.test(text)) return 'consonant'
  if (/^\d$/.test(text)) return 'digit'
  if (text === '"') return 'quote'
  return /^[}\]]$/.test(text) ? 'closing' : 'other'
}

const likely: { readonly [kind in Kind]: number } = {
  consonant: 4,
  vowel: 0,
  digit: 0,
  quote: 1,
  closing: 0,
  end: 0,
  rare: -12,
  other: -4,
}

/** What comes behind a kind, besides what is likely anyway. */
const behind: { readonly [kind in Kind]?: { readonly [next in Kind]?: number } } = {
  consonant: { vowel: 12, end: -10 },
  vowel: { end: 16, quote: 12, consonant: -8 },
  digit: { closing: 10, other: 10, end: 12, digit: -6 },
  closing: { closing: 6, end: 16 },
}

/** Where the dimensions of the kinds end: the first one is that which is always there. */
const fixed = 1 + kinds.length
const presence = 4

export function tinyGguf(options: TinyGgufOptions = {}): Buffer {
  const { seed = 1, contextLength = 4096, bias = {}, chatTemplate = chatml } = options
  const tokens = vocabulary()
  for (const text of Object.keys(bias)) if (!tokens.some((token) => token.text === text)) throw new Error(`no token is '${text}'`)
  const metadata: readonly Field[] = [
    ['general.architecture', 'string', 'llama'],
    ['general.name', 'string', `tiny ${seed}`],
    ['general.file_type', 'uint32', 0],
    ['llama.context_length', 'uint32', contextLength],
    ['llama.embedding_length', 'uint32', width],
    ['llama.block_count', 'uint32', layers],
    ['llama.feed_forward_length', 'uint32', hidden],
    ['llama.attention.head_count', 'uint32', heads],
    ['llama.attention.head_count_kv', 'uint32', keyHeads],
    ['llama.attention.layer_norm_rms_epsilon', 'float32', 1e-5],
    ['llama.rope.dimension_count', 'uint32', headWidth],
    ['llama.vocab_size', 'uint32', tokens.length],
    ['tokenizer.ggml.model', 'string', 'llama'],
    ['tokenizer.ggml.tokens', 'strings', tokens.map(({ text }) => text)],
    ['tokenizer.ggml.scores', 'float32s', tokens.map(() => 0)],
    ['tokenizer.ggml.token_type', 'int32s', tokens.map(({ type }) => tokenTypes[type])],
    ['tokenizer.ggml.unknown_token_id', 'uint32', 0],
    ['tokenizer.ggml.bos_token_id', 'uint32', 1],
    ['tokenizer.ggml.eos_token_id', 'uint32', 4],
    ['tokenizer.ggml.add_bos_token', 'bool', false],
    ['tokenizer.ggml.add_eos_token', 'bool', false],
    ['tokenizer.ggml.add_space_prefix', 'bool', false],
    ['tokenizer.chat_template', 'string', chatTemplate],
  ]
  return fileOf(metadata, weights(tokens, gaussian(seed), bias))
}

interface Tensor {
  readonly name: string
  /** The length of a row first. */
  readonly shape: readonly [number] | readonly [number, number]
  readonly data: Float32Array
}

function weights(tokens: readonly Token[], random: () => number, bias: { readonly [text: string]: number }): readonly Tensor[] {
  const tensor = (name: string, shape: Tensor['shape'], value: (column: number, row: number) => number): Tensor => {
    const [columns, rows = 1] = shape
    const data = new Float32Array(columns * rows)
    for (let row = 0; row < rows; row++) for (let column = 0; column < columns; column++) data[row * columns + column] = value(column, row)
    return { name, shape, data }
  }
  const ones = (name: string) => tensor(name, [width], () => 1)
  const noise = (name: string, columns: number, rows: number) => tensor(name, [columns, rows], () => random() * 0.1)
  const free = (name: string, columns: number) => tensor(name, [columns, width], (_, row) => (row < fixed ? 0 : random() * 0.1))
  const tokenKinds = tokens.map(kindOf)
  const embedding = tensor('token_embd.weight', [width, tokens.length], (column, row) => {
    if (column === 0) return presence
    if (column < fixed) return kinds[column - 1] === tokenKinds[row] ? 2 : 0
    return random() * 0.5
  })
  const blocks = Array.from({ length: layers }, (_, layer) => {
    const name = (part: string) => `blk.${layer}.${part}.weight`
    return [
      ones(name('attn_norm')),
      noise(name('attn_q'), width, width),
      noise(name('attn_k'), width, keyHeads * headWidth),
      noise(name('attn_v'), width, keyHeads * headWidth),
      free(name('attn_output'), width),
      ones(name('ffn_norm')),
      noise(name('ffn_gate'), width, hidden),
      noise(name('ffn_up'), width, hidden),
      free(name('ffn_down'), hidden),
    ]
  })
  // What the norm before it divides by, nearly.
  const scale = Math.sqrt((presence ** 2 + 4 + (width - fixed) * 0.25) / width)
  const output = tensor('output.weight', [width, tokens.length], (column, row) => {
    const token = tokens[row]
    const kind = tokenKinds[row]
    if (token === undefined || kind === undefined) return 0
    if (column === 0) return ((likely[kind] + (bias[token.text] ?? 0)) * scale) / presence
    const before = kinds[column - 1]
    if (column < fixed) return before === undefined ? 0 : ((behind[before]?.[kind] ?? 0) * scale) / 2
    return random() * 0.25
  })
  return [embedding, ...blocks.flat(), ones('output_norm.weight'), output]
}

/** Normally distributed numbers, the same ones for a seed. */
function gaussian(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0 || 1
  const uniform = () => {
    // xorshift32
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 4_294_967_296
  }
  return () => {
    let sum = -6
    for (let n = 0; n < 12; n++) sum += uniform()
    return sum
  }
}

type Field =
  | readonly [name: string, type: 'string', value: string]
  | readonly [name: string, type: 'uint32' | 'float32', value: number]
  | readonly [name: string, type: 'bool', value: boolean]
  | readonly [name: string, type: 'strings', values: readonly string[]]
  | readonly [name: string, type: 'float32s' | 'int32s', values: readonly number[]]

/** The layout: github.com/ggml-org/ggml/blob/master/docs/gguf.md */
const codes = { uint32: 4, int32s: 5, float32: 6, float32s: 6, bool: 7, string: 8, strings: 8, array: 9 }
const alignment = 32

function fileOf(metadata: readonly Field[], tensors: readonly Tensor[]): Buffer {
  const parts: Buffer[] = [Buffer.from('GGUF'), uint32(3), uint64(tensors.length), uint64(metadata.length), ...metadata.flatMap(fieldBytes)]
  let offset = 0
  for (const { name, shape, data } of tensors) {
    parts.push(text(name), uint32(shape.length), ...shape.map(uint64), uint32(0), uint64(offset))
    offset += aligned(data.byteLength)
  }
  const head = Buffer.concat(parts)
  const bodies = tensors.map(({ data }) => padded(Buffer.from(data.buffer, data.byteOffset, data.byteLength)))
  return Buffer.concat([padded(head), ...bodies])
}

function fieldBytes(field: Field): Buffer[] {
  const [name, type] = field
  const head = [text(name), uint32(field[1].endsWith('s') ? codes.array : codes[type])]
  switch (field[1]) {
    case 'string':
      return [...head, text(field[2])]
    case 'uint32':
      return [...head, uint32(field[2])]
    case 'float32':
      return [...head, float32(field[2])]
    case 'bool':
      return [...head, Buffer.from([field[2] ? 1 : 0])]
    case 'strings':
      return [...head, uint32(codes.strings), uint64(field[2].length), ...field[2].map(text)]
    case 'float32s':
      return [...head, uint32(codes.float32s), uint64(field[2].length), ...field[2].map(float32)]
    case 'int32s':
      return [...head, uint32(codes.int32s), uint64(field[2].length), ...field[2].map(uint32)]
  }
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([uint64(bytes.length), bytes])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

function float32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return bytes
}

function aligned(length: number): number {
  return Math.ceil(length / alignment) * alignment
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(aligned(bytes.length) - bytes.length)])
}
