import { type Decision, type Pending, RondoError } from '../index.ts'
import type { PlannedChange } from '../tools/index.ts'
import { busyPart, type Mode, questionPart, writingPart } from './approval-prompt.ts'
import { argumentLines, reasonLines, waitingFacts } from './pending-lines.ts'
import { changeLines } from './screen/change-lines.ts'
import { type Draft, draftOf, edited, emptyDraft, movedLine } from './screen/draft.ts'
import type { Key } from './screen/keys.ts'
import type { LivePart, LiveScreen } from './screen/live.ts'
import type { Terminal } from './terminal.ts'
import { oneLine, row, styled } from './text.ts'
import type { Toolset } from './toolset.ts'

/** A call that waits for an approval. */
export type Asking = Extract<Pending, { kind: 'approval' }>

/** Of a desk: what calls would change, who decides, and where decisions go. */
export interface DeskOptions {
  /** What a call would do to a file; `undefined` where that can't be told. */
  planned: Toolset['planned']
  /** The name under which decisions are recorded; empty: none. */
  readonly by: string
  decide(decision: Decision): Promise<void>
  /** Answers come later, from elsewhere; absent where that can't be. */
  leave?(): void
  /** A message is being written: keys are for that until it is said or dropped, so that no word of it answers a question. */
  isWriting?(): boolean
  /** A question came or went: whatever else stands in the prompt must be drawn anew. */
  changed?(): void
}

interface Asked {
  readonly call: Asking
  /** The arguments to run with: those of the call, or edited ones. */
  input: unknown
  isEdited: boolean
  change?: PlannedChange | undefined
}

/** Below the question. */

/** Nobody has read a question in this time (ms): a key that comes sooner was meant for something else. */
const readMs = 300
/** Who types goes on typing until they pause for this long (ms). */
const pauseMs = 700

/**
 * Where a person answers calls that wait for an approval, one after another: what is asked is printed once, with a diff of what would change; the question
 * stands in the prompt until a key answers it.
 */
export class ApprovalDesk {
  readonly #terminal: Terminal
  readonly #screen: LiveScreen
  readonly #options: DeskOptions
  readonly #waiting: Asking[] = []
  #asked: Asked | undefined
  #mode: Mode = { kind: 'choose' }
  #shownAt = 0
  #keyAt = Number.NEGATIVE_INFINITY
  #isReady = false
  /** The question went away while an answer was being written: what is still typed of that is for nobody. */
  #isCutOff = false

  constructor(terminal: Terminal, screen: LiveScreen, options: DeskOptions) {
    this.#terminal = terminal
    this.#screen = screen
    this.#options = options
  }

  /** A question is on the screen, and keys are for it. */
  get isAsking(): boolean {
    return this.#asked !== undefined
  }

  ask(call: Asking): void {
    if (this.#asked?.call.callId === call.callId || this.#waiting.some(({ callId }) => callId === call.callId)) return
    this.#waiting.push(call)
    this.#next()
  }

  /** The call has been answered, here or elsewhere, or needs no answer any more. */
  settled(callId: string): void {
    const at = this.#waiting.findIndex((call) => call.callId === callId)
    if (at >= 0) this.#waiting.splice(at, 1)
    if (this.#asked?.call.callId === callId) this.#leave()
  }

  /** No call waits any more. */
  clear(): void {
    this.#waiting.length = 0
    if (this.#asked !== undefined) this.#leave()
  }

  /** False: the key is not for the desk. */
  key(key: Key): boolean {
    const asked = this.#asked
    const now = this.#terminal.now()
    const keyAt = this.#keyAt
    this.#keyAt = now
    if (key.kind === 'key' && /^ctrl-[dl]$/.test(key.name)) return false
    this.#isCutOff &&= now - keyAt < pauseMs
    if (this.#isCutOff) return true
    if (asked === undefined) return false
    if (this.#mode.kind === 'choose' && this.#options.isWriting?.() === true) return false
    if (!this.#isReady && (now - this.#shownAt < readMs || now - keyAt < pauseMs)) return false
    this.#isReady = true
    if (this.#mode.kind === 'choose') this.#choose(asked, key)
    else this.#write(asked, this.#mode.kind, this.#mode.draft, key)
    return true
  }

  show(): void {
    if (this.#asked === undefined || this.#shownAt === Number.POSITIVE_INFINITY) return
    this.#screen.show('question', this.#question(this.#asked))
    this.#options.changed?.()
    if (this.#mode.kind !== 'choose') this.#screen.show('prompt', writingPart(this.#mode, this.#screen, this.#terminal.stdout))
  }

  #next(): void {
    if (this.#asked !== undefined) return
    const call = this.#waiting.shift()
    if (call === undefined) return
    this.#asked = { call, input: call.input, isEdited: false }
    this.#close()
    void this.#present(this.#asked)
  }

  /** No key answers until the question is shown (again). */
  #close(): void {
    this.#mode = { kind: 'choose' }
    this.#isReady = false
    this.#shownAt = Number.POSITIVE_INFINITY
  }

  #leave(): void {
    if (this.#mode.kind !== 'choose') {
      this.#isCutOff = true
      this.#say('This call needs no answer any more: what you have begun to write is dropped.')
    }
    this.#asked = undefined
    this.#mode = { kind: 'choose' }
    this.#hide()
    this.#next()
  }

  #hide(): void {
    this.#screen.show('question')
    this.#screen.show('prompt')
    this.#options.changed?.()
  }

  /** Prints what is asked; the question comes once it is all there. */
  async #present(asked: Asked): Promise<void> {
    asked.change = await this.#planned(asked)
    // Answered elsewhere meanwhile.
    if (this.#asked !== asked) return
    const { stdout } = this.#terminal
    const title = `${styled('?', 'yellow', stdout)} ${row(waitingFacts(asked.call, {}, this.#terminal), stdout, '  ')}`
    const body =
      asked.change === undefined
        ? argumentLines(asked.input, stdout, Number.POSITIVE_INFINITY)
        : `${changeLines(asked.change, stdout).join('\n')}\n`
    const { reason } = asked.call
    const why = reason === undefined ? '' : `${styled(reasonLines(reason, stdout).trimEnd(), 'dim', stdout)}\n`
    this.#shownAt = this.#terminal.now()
    this.#screen.endLine()
    this.#screen.printAndShow(`\n${title}${body}${why}`, 'question', this.#question(asked))
    this.show()
  }

  async #planned({ call, input }: Asked): Promise<PlannedChange | undefined> {
    try {
      return await this.#options.planned({ toolName: call.toolName, input })
    } catch {
      // What can't be worked out is shown as it was asked for.
      return undefined
    }
  }

  #question({ call, change }: Asked): LivePart {
    if (this.#mode.kind !== 'choose') return { lines: [] }
    const { isWriting, leave } = this.#options
    const choices = { call, canRun: canRun(change), canLeave: leave !== undefined }
    return isWriting?.() === true ? busyPart(this.#terminal.stdout) : questionPart(choices, this.#screen, this.#terminal.stdout)
  }

  #choose(asked: Asked, key: Key): void {
    const letter = key.kind === 'text' ? key.text.toLowerCase() : ''
    const isYes = canRun(asked.change)
    if (letter === 'y' && isYes) return this.#decide(asked, this.#approval(asked))
    if (letter === 'a' && isYes && asked.call.rememberAs !== false)
      return this.#decide(asked, { ...this.#approval(asked), remember: 'session' })
    if (letter === 'l') return this.#options.leave?.()
    if (letter === 'n') return this.#to({ kind: 'deny', draft: emptyDraft })
    if (letter === 'e') return this.#to({ kind: 'edit', draft: draftOf(JSON.stringify(asked.input, undefined, 2)) })
  }

  /** What was shown is what runs: a change of a file is bound to the file as it was shown. */
  #approval({ call, input, isEdited, change }: Asked): Extract<Decision, { decision: 'approve' }> {
    const bound = change !== undefined && 'bound' in change ? change.bound : isEdited ? input : undefined
    return { callId: call.callId, decision: 'approve', ...this.#by, ...(bound === undefined ? {} : { input: bound }) }
  }

  get #by(): { readonly by?: string } {
    return this.#options.by === '' ? {} : { by: this.#options.by }
  }

  #write(asked: Asked, kind: 'deny' | 'edit', draft: Draft, key: Key): void {
    if (key.kind === 'key') {
      if (key.name === 'escape') return this.#to({ kind: 'choose' })
      if (key.name === 'enter') return kind === 'deny' ? this.#deny(asked, draft.text) : this.#edit(asked, draft)
      const moved = key.name === 'up' ? movedLine(draft, -1) : key.name === 'down' ? movedLine(draft, 1) : undefined
      if (moved !== undefined) return this.#to({ kind, draft: moved })
    }
    const next = edited(draft, key)
    if (next !== undefined) this.#to({ kind, draft: next })
  }

  #deny(asked: Asked, text: string): void {
    const reason = text.trim()
    this.#decide(asked, { callId: asked.call.callId, decision: 'deny', ...this.#by, ...(reason === '' ? {} : { reason }) })
  }

  #edit(asked: Asked, draft: Draft): void {
    try {
      const input: unknown = JSON.parse(draft.text)
      if (typeof input !== 'object' || input === null || Array.isArray(input)) throw new Error('it must be an object in braces')
      asked.input = input
      asked.isEdited = true
    } catch (error) {
      const why = error instanceof Error ? oneLine(error.message) : ''
      return this.#to({ kind: 'edit', draft, problem: `That is no JSON object: ${why}` })
    }
    this.#close()
    this.#hide()
    void this.#present(asked)
  }

  #to(mode: Mode): void {
    this.#mode = mode
    this.show()
  }

  #decide(asked: Asked, decision: Decision): void {
    this.#close()
    this.#hide()
    this.#options.decide(decision).catch((error: unknown) => {
      if (!RondoError.is(error)) throw error
      this.#say(error.code === 'RunInvalidState' ? notTaken : error.message)
      // Refused: it still waits.
      if (this.#asked !== asked) return
      this.#shownAt = this.#terminal.now()
      this.show()
    })
  }

  #say(text: string): void {
    this.#screen.endLine()
    this.#screen.print(`${styled(oneLine(text), 'red', this.#terminal.stdout)}\n`)
  }
}

/** The library’s words are for programs. */
const notTaken = 'Your answer was not taken: this call has been answered elsewhere, or can’t be answered any more.'

/** What would fail now could do something later that nobody has seen. */
function canRun(change: PlannedChange | undefined): boolean {
  return change?.kind !== 'refused'
}
