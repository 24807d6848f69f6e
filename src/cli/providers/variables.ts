import type { Terminal } from '../terminal.ts'
import type { Provider } from './provider.ts'

/** What is blank was not given. */
export function given(text: string | undefined): string | undefined {
  const trimmed = text?.trim()
  return trimmed === '' ? undefined : trimmed
}

/** The variable that holds its key; `undefined` where none is set. */
export function keyVariableOf({ keys }: Provider, env: Terminal['env']): string | undefined {
  return keys.find((name) => given(env[name]) !== undefined)
}

export function keyOf(provider: Provider, env: Terminal['env']): string | undefined {
  return given(env[keyVariableOf(provider, env) ?? ''])
}

/** What has to be set before it can be asked, in words that go on `Set`. */
export function lacking(provider: Provider, env: Terminal['env']): readonly string[] {
  const { keys, keyCommand, needs, place, placeExample } = provider
  const [key] = keys
  const lacks = needs.flatMap(([name, what]) => (given(env[name]) === undefined ? [`${name} (${what})`] : []))
  return [
    ...(key === undefined || keyOf(provider, env) !== undefined ? [] : [keyCommand === undefined ? key : `${key}=${keyCommand}`]),
    ...lacks,
    ...(placeExample === undefined || place === undefined || given(env[place]) !== undefined ? [] : [`${place} (${placeExample})`]),
  ]
}
