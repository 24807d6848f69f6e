import type { RunResult, Usage } from '../../index.ts'
import { type Beginning, beginningOf, keptIn, newestIn, sandboxBeginsAnew } from '../beginning.ts'
import { chooseModel } from '../choose-model.ts'
import { costRemark } from '../limit-flags.ts'
import { sandboxDiff } from '../sandbox-lines.ts'
import { sessionFacts } from '../session-facts.ts'
import { noSession } from '../sessions.ts'
import { showSession } from '../show/show-command.ts'
import { commandName } from '../summary.ts'
import { CannotRun, type Terminal } from '../terminal.ts'
import { count, dateAndTime, oneLine, sessionWord, styled, wrapped } from '../text.ts'
import { chosenTools, toolsFor } from '../toolset.ts'
import type { ChatSettings } from './settings.ts'
import { type SlashName, slashHelp, type slashOf } from './slash.ts'

/** What a command of the chat can do to it. */
export interface SlashHost {
  readonly sessionId: string | undefined
  say(text: string): void
  open(sessionId: string | undefined): Promise<void>
  leave(): void
}

const listed = 10
const nameColumns = 9

/** The commands of the chat. */
export class Slashes {
  readonly #settings: ChatSettings
  readonly #terminal: Terminal
  readonly #host: SlashHost

  constructor(settings: ChatSettings, terminal: Terminal, host: SlashHost) {
    this.#settings = settings
    this.#terminal = terminal
    this.#host = host
  }

  async run({ name, word, argument }: NonNullable<ReturnType<typeof slashOf>>): Promise<RunResult | undefined> {
    if (name === undefined)
      this.#host.say(`There is no command /${oneLine(word)}. /help lists them; // at the beginning says a slash to the agent.\n`)
    else await this.#commands[name](argument)
    return undefined
  }

  readonly #commands: { readonly [name in SlashName]: (argument: string) => Promise<void> | void } = {
    help: () => this.#host.say(slashHelp(this.#terminal.stdout)),
    new: async () => {
      await this.#host.open(undefined)
      this.#host.say('A new session begins with what you say next.\n')
    },
    sessions: () => this.#sessions(),
    resume: (id) => this.#resume(id),
    status: () => this.#status(),
    model: (name) => this.#model(name),
    tools: (names) => this.#tools(names),
    changes: () => this.#changes(),
    show: () => this.#show(),
    quit: () => this.#host.leave(),
  }

  async #sessions(): Promise<void> {
    const sessions = await this.#settings.store.list({ limit: listed })
    const lines = sessions.map(({ sessionId, updatedAt, head }) => {
      const mark = sessionId === this.#host.sessionId ? '*' : ' '
      return `${mark} ${oneLine(sessionId)}  ${dateAndTime(updatedAt)}  ${head?.status ?? ''}${head?.title === undefined ? '' : `  ${oneLine(head.title)}`}\n`
    })
    this.#host.say(lines.join('') || 'There is no session yet.\n')
  }

  async #resume(id: string): Promise<void> {
    const { store, folder } = this.#settings
    const wanted = id === '' ? await newestIn(folder, store, this.#host.sessionId) : id
    if (wanted === undefined) return this.#host.say('There is no other session of this folder. /sessions lists those of all folders.\n')
    const begun = await beginningOf(wanted, store)
    if (begun === undefined) throw await noSession(wanted, store, this.#terminal)
    if (begun.folder !== undefined && begun.folder !== folder)
      throw new CannotRun(
        `Session ${oneLine(wanted)} works in ${oneLine(begun.folder)}, and this chat in ${oneLine(folder)}. Leave it, and go on there: ${commandName(this.#terminal)} chat --resume ${sessionWord(wanted)}`,
      )
    this.#keep(begun)
    await this.#host.open(wanted)
  }

  /** A session of a sandbox takes the chat into one. */
  #keep(begun: Beginning): void {
    if (begun.sandbox !== true || this.#settings.toolset.sandbox !== undefined) return
    const flags = keptIn(this.#settings.flags, begun)
    this.#settings.toolset = toolsFor(this.#settings.folder, flags, this.#terminal)
    this.#settings.flags = flags
    this.#host.say(`${sandboxBeginsAnew}\n`)
  }

  async #status(): Promise<void> {
    const { chosen, folder, flags, store } = this.#settings
    const { sessionId } = this.#host
    const tools = chosenTools(flags.tools)
    const facts = sessionId === undefined ? undefined : await sessionFacts(store, sessionId)
    const lines = [
      `session  ${sessionId === undefined ? 'none yet' : oneLine(sessionId)}${this.#settings.kept ? '' : ' (not kept)'}`,
      `folder   ${oneLine(folder)}`,
      `model    ${oneLine(chosen.line.replace(/^Model: /, ''))}`,
      `tools    ${tools.join(', ') || 'none'}${flags.yes === true ? ' (nothing is asked: --yes)' : ''}`,
      ...(facts === undefined ? [] : [`used     ${count(facts.calls.size, 'tool call')}, ${used(facts.usage)}`]),
    ]
    const { columns } = this.#terminal.stdout
    // What does not fit goes on below its value.
    this.#host.say(
      lines
        .map((line) => `${line.slice(0, nameColumns)}${wrapped(line.slice(nameColumns), columns, ' '.repeat(nameColumns)).trim()}\n`)
        .join(''),
    )
  }

  async #model(name: string): Promise<void> {
    if (name === '') return this.#host.say(`${oneLine(this.#settings.chosen.line)}\n`)
    const chosen = await chooseModel({ ...this.#settings.flags, model: name }, this.#terminal)
    const remark = costRemark(this.#settings.flags, chosen)
    this.#settings.chosen = chosen
    this.#host.say(styled(`${oneLine(chosen.line)}\n`, 'dim', this.#terminal.stdout))
    if (remark !== undefined) this.#host.say(`${remark}\n`)
  }

  #tools(names: string): void {
    if (names !== '') {
      const tools = chosenTools(names.split(/[\s,]+/).filter((name) => name !== ''))
      const flags = { ...this.#settings.flags, tools }
      this.#settings.toolset = toolsFor(this.#settings.folder, flags, this.#terminal, this.#settings.toolset.sandbox)
      this.#settings.flags = flags
    }
    this.#host.say(`Tools: ${chosenTools(this.#settings.flags.tools).join(', ') || 'none'}\n`)
  }

  async #changes(): Promise<void> {
    const { sandbox } = this.#settings.toolset
    if (sandbox === undefined)
      return this.#host.say('There is no sandbox: changes are made on the disk, when you agree. rondo chat --sandbox has one.\n')
    this.#host.say((await sandboxDiff(sandbox, this.#terminal.stdout)) || 'Nothing has been changed in the sandbox.\n')
  }

  async #show(): Promise<void> {
    const { sessionId, say } = this.#host
    if (sessionId === undefined) return say('Nothing has been said yet.\n')
    const stdout = { ...this.#terminal.stdout, columns: this.#terminal.stdout.columns, write: say }
    await showSession(sessionId, {}, this.#settings.store, { ...this.#terminal, stdout })
  }
}

function used({ inputTokens, outputTokens, costUsd, complete }: Usage): string {
  const tokens = count(inputTokens + outputTokens, 'token')
  return `${complete ? '' : 'at least '}${tokens}${costUsd === undefined ? '' : `, $${costUsd.toFixed(4)}`}`
}
