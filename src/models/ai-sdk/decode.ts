import { RondoError } from '../../core/error.ts'
import { isJsonObject } from '../../core/json.ts'
import { toBase64 } from '../../core/media.ts'
import type { ModelDelta, ModelFinish } from '../../core/model.ts'
import { storableCopy } from '../../core/storable.ts'
import { type Answerer, countsOf, quietOverflow, windowExceeded, windowFilled } from '../errors.ts'
import { brokenOff, garbled, incomplete } from '../unusable.ts'
import { isWire, textOrNothing, type Wire } from '../wire.ts'
import { Calls } from './calls.ts'
import { errorOf, refusedPrompt } from './errors.ts'
import { endOf, finishReasonOf, isFailure, isUntold } from './finish.ts'
import { Out } from './out.ts'
import { Texts } from './texts.ts'
import { usageOf } from './usage.ts'
import type { Warnings } from './warnings.ts'

/** Whom a call went to, and what is known of the model. */
export interface Asked extends Answerer {
  /** Under which opaque data is kept. */
  readonly scope: string
  /** Tokens. */
  readonly contextWindow: number | undefined
}

/**
 * Reads one response: the parts of a stream of any version of the specification, in whatever order. What comes whole is what counts: a call that only
 * began is none, and a stream without its finish is no response.
 */
export class AiSdkDecoder {
  readonly #asked: Asked
  readonly #out: Out
  readonly #texts: Texts
  readonly #calls: Calls
  readonly #warnings: Warnings
  #begun = false
  #responseId = ''
  #finish: Wire | undefined

  constructor(asked: Asked, sink: (delta: ModelDelta) => void, warnings: Warnings) {
    this.#asked = asked
    this.#out = new Out(asked.scope, sink)
    this.#texts = new Texts(this.#out)
    this.#calls = new Calls(this.#out)
    this.#warnings = warnings
  }

  /** Whether anything of the answer has come. */
  get hasBegun(): boolean {
    return this.#begun
  }

  /** Whether the last part has come. */
  get isDone(): boolean {
    return this.#finish !== undefined
  }

  push(part: unknown): void {
    if (!isWire(part)) throw garbled('a part of it is no object', this.#asked)
    const { type } = part
    if (type === 'stream-start') return this.#warnings.addAll(part['warnings'])
    this.#begun = true
    switch (type) {
      case 'text-start':
        return this.#texts.start('text', part)
      case 'text-delta':
        return this.#texts.more('text', part)
      case 'text-end':
        return this.#texts.end('text', part)
      case 'reasoning-start':
        return this.#texts.start('reasoning', part)
      case 'reasoning-delta':
        return this.#texts.more('reasoning', part)
      case 'reasoning-end':
        return this.#texts.end('reasoning', part)
      case 'tool-input-start':
        return this.#calls.begin(part)
      case 'tool-input-delta':
        return this.#calls.more(part)
      case 'tool-input-end':
        return this.#calls.end(part)
      case 'tool-call':
        return this.#calls.take(part)
      case 'tool-result':
        return this.#calls.result(part)
      case 'error':
        throw errorOf(part['error'], this.#asked)
      case 'finish':
        this.#finish = part
        return
      default:
        return this.#other(part)
    }
  }

  /** What is no text and no call. */
  #other(part: Wire): void {
    const { type, providerMetadata } = part
    switch (type) {
      case 'file':
        return this.#file(part)
      case 'reasoning-file': {
        const thoughtFile = { mediaType: textOrNothing(part['mediaType']), data: fileData(part['data']) }
        return this.#out.hidden('reasoning', { thoughtFile }, providerMetadata)
      }
      case 'source':
        return this.#source(part)
      case 'custom':
        return this.#out.hidden('text', { custom: textOrNothing(part['kind']) }, providerMetadata)
      case 'tool-approval-request':
        throw unanswerable(this.#asked)
      case 'response-metadata':
        this.#responseId = textOrNothing(part['id']) || this.#responseId
        return
      case 'raw':
        return
      default:
        this.#warnings.add(`a part of type "${String(type)}" was left out: it is not known here`)
    }
  }

  #file(part: Wire): void {
    const mediaType = textOrNothing(part['mediaType'])
    const type = mediaType.startsWith('image/') ? 'image' : 'file'
    this.#out.part({ type, mediaType, data: fileData(part['data']), providerData: this.#out.data({}, part['providerMetadata']) })
  }

  #source({ type: _type, providerMetadata, ...source }: Wire): void {
    const { url, title } = source
    if (typeof url !== 'string') {
      const { json } = storableCopy(source)
      return this.#out.hidden('text', isJsonObject(json) ? { source: json } : {}, providerMetadata)
    }
    const named = typeof title === 'string' ? { title } : {}
    this.#out.part({
      type: 'source',
      url,
      ...named,
      ...(isWire(providerMetadata) ? { providerData: this.#out.data({}, providerMetadata) } : {}),
    })
  }

  /**
   * The end of the response. Throws when it is not complete.
   *
   * @param whole It came at once, so that nothing of it can be missing.
   */
  end(whole: boolean): ModelFinish {
    this.#texts.closeAll()
    const { provider } = this.#asked
    const finish = this.#finish
    if (finish === undefined)
      throw incomplete(this.#begun ? `The response of ${provider} ended without its last part` : `${provider} answered with nothing`)
    const end = endOf(finish['finishReason'])
    const raw = end.raw ?? end.unified
    if (isFailure(end)) throw brokenOff(raw, this.#asked)
    const usage = usageOf(finish['usage'], finish['providerMetadata'])
    const untold = isUntold(end, usage.complete)
    const refused = untold ? refusedPrompt(finish['providerMetadata'], this.#asked) : undefined
    if (refused !== undefined) throw refused
    if (untold && !whole) throw incomplete(`The response of ${provider} ended without a finish reason`)
    const finishReason = untold ? (this.#calls.count > 0 ? 'tool-calls' : 'stop') : finishReasonOf(end)
    const mayBeCut = finishReason === 'length' || finishReason === 'content-filter' || finishReason === 'refusal'
    if (this.#calls.isCut && !mayBeCut) throw incomplete(`The response of ${provider} ended in the middle of a tool call`)
    const told = { ...this.#asked, finishReason: raw, ...countsOf(usage) }
    const overflow = raw === windowExceeded && this.#out.count === 0 ? windowFilled(told) : quietOverflow(told)
    if (overflow !== undefined) throw overflow
    return {
      finishReason,
      ...(untold ? {} : { rawFinishReason: raw }),
      usage,
      ...(this.#responseId === '' ? {} : { requestId: this.#responseId }),
    }
  }
}

/** Base64 or a URL: as it is up to version 3, named by what it is in version 4. */
function fileData(data: unknown): string {
  const inner = isWire(data) && typeof data['type'] === 'string' ? data[data['type']] : data
  if (inner instanceof Uint8Array) return toBase64(inner)
  return inner instanceof URL ? inner.href : textOrNothing(inner)
}

/** Of calls that the provider runs nobody here can be asked, and to say no for the user would be a guess. */
function unanswerable({ provider }: Asked): RondoError {
  return new RondoError(
    'ModelBadRequest',
    `${provider} asks for an approval of a call that it runs itself: nobody can be asked for it here. Set that tool so that it needs no approval, or give the agent a tool of its own for it.`,
  )
}
