import type { RunEvent } from '../../index.ts'
import { type Agent, type Input, RondoError, type Run, type RunResult, type Tools } from '../../index.ts'
import { beginning } from '../beginning.ts'
import { commandAgent } from '../command-agent.ts'
import type { Answering } from '../drive.ts'
import { Drive } from '../drive.ts'
import { limitsOf } from '../limit-flags.ts'
import { unfinished } from '../sessions.ts'
import type { ChatSettings } from './settings.ts'

/** Who is told what happens in a conversation. */
export interface Listener {
  event(event: RunEvent): void
  readonly answering: Answering | undefined
}

/** A conversation: a session, and the agent that it is with. */
export class Talk {
  readonly #settings: ChatSettings
  readonly #listener: Listener
  sessionId: string | undefined
  #drive: Drive | undefined
  #controller: AbortController | undefined

  constructor(settings: ChatSettings, listener: Listener, sessionId: string | undefined) {
    this.#settings = settings
    this.#listener = listener
    this.sessionId = sessionId
  }

  get agent(): Agent<Tools> {
    const { chosen, folder, flags, store, toolset } = this.#settings
    return commandAgent({ model: chosen.model, folder, store, tools: toolset.tools, instructions: flags.instructions })
  }

  /** The run that is under way here. */
  get run(): Run | undefined {
    return this.#drive?.run
  }

  get drive(): Drive | undefined {
    return this.#drive
  }

  get isBusy(): boolean {
    return this.#drive !== undefined
  }

  abort(reason: string): void {
    this.#controller?.abort(new Error(reason))
  }

  /** Says something, and follows the run to its end, with those that were begun by what was said meanwhile. */
  say(input: Input): Promise<RunResult> {
    return this.#follow((agent, signal) => {
      const session = this.sessionId === undefined ? {} : { session: this.sessionId }
      return agent.stream(input, { ...session, ...this.#options, metadata: beginning(this.#settings.folder, this.#settings.flags), signal })
    })
  }

  /** Goes on with the session's unfinished run; `undefined` where it has none. */
  async goOn(): Promise<RunResult | undefined> {
    const { sessionId } = this
    if (sessionId === undefined || !(await this.#isUnfinished(this.agent))) return undefined
    return this.#follow((agent, signal) => agent.resume(sessionId, { ...this.#options, signal }))
  }

  get #options() {
    return { limits: limitsOf(this.#settings.flags), parkAfterMs: 0 }
  }

  async #follow(start: (agent: Agent<Tools>, signal: AbortSignal) => Run): Promise<RunResult> {
    const { agent } = this
    const controller = new AbortController()
    const drive = new Drive(agent, (event) => {
      this.sessionId = event.sessionId
      this.#listener.event(event)
    })
    this.#controller = controller
    this.#drive = drive
    try {
      let result = await drive.follow(start(agent, controller.signal), this.#listener.answering, controller.signal)
      this.sessionId = result.sessionId
      // A message that met the end of the run has begun the next one.
      while (result.status !== 'parked' && !controller.signal.aborted && (await this.#isUnfinished(agent)))
        result = await drive.follow(agent.attach(result.sessionId), this.#listener.answering, controller.signal)
      return result
    } finally {
      this.#drive = undefined
      this.#controller = undefined
    }
  }

  async #isUnfinished(agent: Agent<Tools>): Promise<boolean> {
    try {
      return this.sessionId !== undefined && unfinished.has(await agent.session(this.sessionId).status())
    } catch (error) {
      if (RondoError.is(error) && error.code === 'SessionNotFound') return false
      throw error
    }
  }
}
