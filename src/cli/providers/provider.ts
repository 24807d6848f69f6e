import type { Model, ModelCapabilities } from '../../index.ts'
import type { Terminal } from '../terminal.ts'

/** How a provider is reached this time. */
export interface Reach {
  readonly apiKey: string | undefined
  /** `undefined`: at its own place. */
  readonly baseURL: string | undefined
  readonly env: Terminal['env']
}

/** Makes a model of its name there, with what is known of it. */
export type Maker = (model: string, reach: Reach, capabilities: Partial<ModelCapabilities>) => Model

/** Whose models `--model` takes. */
export interface Provider {
  /** What stands before the colon. */
  readonly name: string
  readonly aliases: readonly string[]
  readonly title: string
  /** Variables of its key: the first one that is set counts. None: it takes no key. */
  readonly keys: readonly string[]
  /** A command that says a key, where it is not copied from a page. */
  readonly keyCommand?: string
  /** Other variables that must be set, each with what it is. */
  readonly needs: readonly (readonly [variable: string, what: string])[]
  /** The variable that moves it to another address. */
  readonly place?: string
  /** An address it can't do without, as it looks. */
  readonly placeExample?: string
  /** Where it is on this machine, for servers that people run themselves. */
  readonly local?: string
  /** Whether `--base-url` may be a server that speaks its API. */
  readonly isApi: boolean
  /** An optional package that it needs, and the command that installs it. */
  readonly peer?: { readonly name: string; readonly install: string }
  /** Which model is taken when only the provider is named. */
  readonly usual?: string
  /** What can stand behind the colon. */
  readonly example: string
  /** What the data of `rondo models` calls it. */
  readonly data: string
  /** Its adapter, which is loaded only by who uses it. `undefined`: it needs none. */
  readonly load: () => Promise<Maker>
}
