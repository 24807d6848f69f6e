import type { ModelCapabilities } from '../../core/model.ts'
import type { PartTimeouts } from './reader.ts'

/** What a model of the AI SDK does not say of itself. */
export interface AiSdkOptions {
  /** More headers of each request, for packages that send them. */
  readonly headers?: { readonly [name: string]: string } | undefined
  /** Whether responses are streamed (`doStream`). False, for models that can't: `doGenerate` is asked, and all comes at once. Default true. */
  readonly stream?: boolean | undefined
  /** Time limits in ms, besides those of the package itself: first part 300,000, idle 300,000. Without `stream` the first one is that of the whole answer. */
  readonly timeouts?: Partial<PartTimeouts> | undefined
  /**
   * What the model can do, where it differs from what is assumed: everything, but for schemas of structured output where the package says that it
   * does not pass them on, and for images in the results of tools where the provider is not known to take them (then the user shows them behind the
   * results). `contextWindow` finds an input that was too long and that nobody said anything of.
   */
  readonly capabilities?: Partial<ModelCapabilities> | undefined
  /** Called once for each different warning of the package: a setting that the model does not know, say. Must not throw. Default `console.warn`. */
  readonly onWarning?: ((message: string) => void) | undefined
}
