import type { ProviderData, ToolCallPart } from '../../core/message.ts'
import type { ModelDelta } from '../../core/model.ts'
import { JoinedDeltas } from '../joined-deltas.ts'

type Kind = 'text' | 'reasoning' | 'thought'

/** Numbers the parts of a message that is read out of another one, and passes them on as deltas. */
export class Parts {
  readonly #deltas: JoinedDeltas
  readonly #thoughtData: ProviderData
  #next = 0
  /** The text or thought that goes on. */
  #open: { readonly kind: Kind; readonly part: number } | undefined
  /** Parts of the model below, by their numbers there. */
  readonly #others = new Map<number, number>()
  /** The parts that are calls for us to run. */
  readonly #calling = new Set<number>()
  hasText = false
  /** A line break keeps the next text apart from the one before. */
  #isApart = false
  /** The part that was opened last of what was read from text. */
  #latest: number | undefined
  /** Data that came before anything was read from its text. */
  #early: ProviderData[] = []

  constructor(sink: (delta: ModelDelta) => void, thoughtData: ProviderData) {
    this.#deltas = new JoinedDeltas(sink)
    this.#thoughtData = thoughtData
  }

  get hasCalls(): boolean {
    return this.#calling.size > 0
  }

  text(text: string): void {
    if (text === '') return
    if (this.#isApart) this.#deltas.text('text', this.#partOf('text'), '\n')
    this.#isApart = false
    this.hasText = true
    this.#deltas.text('text', this.#partOf('text'), text)
  }

  thought(text: string): void {
    if (text === '') return
    const isNew = this.#open?.kind !== 'thought'
    const part = this.#partOf('thought')
    if (isNew) this.#deltas.other({ type: 'data', part, providerData: this.#thoughtData })
    this.#deltas.text('reasoning', part, text)
  }

  /** Text that comes now is no more of that before it. */
  separate(): void {
    this.#open = undefined
    this.#isApart = this.hasText
  }

  /** Reasoning of the model below that it has marked in its text. */
  reasoning(text: string): void {
    if (text !== '') this.#deltas.text('reasoning', this.#partOf('reasoning'), text)
  }

  call(toolName: string, providerCallId: string | undefined): number {
    const part = this.#newPart()
    this.#calling.add(part)
    this.#deltas.other(providerCallId === undefined ? { type: 'call', part, toolName } : { type: 'call', part, toolName, providerCallId })
    return part
  }

  input(part: number, text: string): void {
    if (text !== '') this.#deltas.text('call-input', part, text)
  }

  /** A call that can't run, with what the model wrote and why. `part`: it was told already. */
  invalidCall(part: number | undefined, { toolName, rawInput, inputError }: Pick<ToolCallPart, 'toolName'> & Bad): void {
    const value: ToolCallPart = { type: 'tool-call', callId: '', toolName, input: {}, rawInput, inputError }
    const own = part ?? this.#newPart()
    this.#calling.add(own)
    this.#deltas.other({ type: 'part', part: own, value })
  }

  /** A piece of the model below as it is, in a part of its own. */
  other(delta: ModelDelta): void {
    const part = this.#otherPart(delta.part)
    if ('text' in delta) return this.#deltas.text(delta.type, part, delta.text)
    if (isCall(delta)) this.#calling.add(part)
    this.#deltas.other({ ...delta, part })
  }

  /** Opaque data of a text that was read. */
  textData(providerData: ProviderData): void {
    if (this.#latest === undefined) this.#early.push(providerData)
    else this.#deltas.other({ type: 'data', part: this.#latest, providerData })
  }

  flush(): void {
    this.#deltas.flush()
  }

  #partOf(kind: Kind): number {
    if (this.#open?.kind !== kind) this.#open = { kind, part: this.#newPart() }
    return this.#open.part
  }

  #newPart(): number {
    this.#open = undefined
    const part = this.#next++
    this.#latest = part
    const early = this.#early
    if (early.length > 0) {
      this.#early = []
      for (const providerData of early) this.#deltas.other({ type: 'data', part, providerData })
    }
    return part
  }

  #otherPart(part: number): number {
    const known = this.#others.get(part)
    if (known !== undefined) return known
    this.#open = undefined
    const made = this.#next++
    this.#others.set(part, made)
    return made
  }
}

function isCall(delta: ModelDelta): boolean {
  return delta.type === 'call' || (delta.type === 'part' && delta.value.type === 'tool-call' && delta.value.providerExecuted !== true)
}

interface Bad {
  readonly rawInput: string
  readonly inputError: string
}
