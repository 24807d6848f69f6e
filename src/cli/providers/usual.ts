import type { Terminal } from '../terminal.ts'
import type { Provider } from './provider.ts'
import { providers } from './table.ts'
import { given } from './variables.ts'

/** A provider that is taken when no model is named. */
export interface Usual {
  readonly provider: Provider
  readonly model: string
  readonly key: string
}

/** Only a provider's own key chooses it: one that opens other doors too says nothing. */
export const usuals: readonly Usual[] = providers.flatMap((provider) => {
  const { usual: model, keys } = provider
  const [key] = keys
  return model === undefined || key === undefined ? [] : [{ provider, model, key }]
})

/** The one whose key is set. */
export function usualOf(env: Terminal['env']): Usual | undefined {
  return usuals.find(({ key }) => given(env[key]) !== undefined)
}
