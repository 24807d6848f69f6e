import { safeText } from '../safe-text.ts'
import { isWire, type Wire } from '../wire.ts'

/** So many different warnings of one model are told. */
const maxWarnings = 100

/** Tells each warning once in the life of a model: packages give the same one with every call. */
export class Warnings {
  readonly #who: string
  readonly #tell: (message: string) => void
  readonly #told = new Set<string>()

  constructor(who: string, tell: (message: string) => void) {
    this.#who = who
    this.#tell = tell
  }

  add(what: string): void {
    const message = `${this.#who}: ${safeText(what, 500)}`
    if (this.#told.has(message) || this.#told.size >= maxWarnings) return
    this.#told.add(message)
    try {
      this.#tell(message)
    } catch {
      // Whoever listens has no say in a call.
    }
  }

  /** Those of a call, in the form of any version. */
  addAll(warnings: unknown): void {
    if (Array.isArray(warnings)) for (const warning of warnings) if (isWire(warning)) this.add(wordingOf(warning))
  }
}

function wordingOf(warning: Wire): string {
  const { type, feature, setting, message, details, tool } = warning
  const more = typeof details === 'string' && details !== '' ? ` (${details})` : ''
  switch (type) {
    case 'unsupported':
      return `"${String(feature)}" is not supported and has no effect${more}`
    case 'compatibility':
      return `"${String(feature)}" works in a compatibility mode${more}`
    case 'deprecated':
      return `"${String(setting)}" is deprecated: ${String(message)}`
    case 'unsupported-setting':
      return `the setting "${String(setting)}" is not supported and has no effect${more}`
    case 'unsupported-tool':
      return `the tool "${isWire(tool) ? String(tool['name']) : ''}" is not supported and was left out${more}`
    default:
      return typeof message === 'string' ? message : `a warning of type "${String(type)}"${more}`
  }
}
