import { isWebAddress } from '../parsed-url.ts'
import type { Provider } from '../providers/provider.ts'
import { providers } from '../providers/table.ts'
import { given, keyOf, keyVariableOf, lacking } from '../providers/variables.ts'
import { count, oneLine } from '../text.ts'
import type { Check, Looked } from './check.ts'
import { withoutCredentials } from './masked.ts'

/** The key of a server that anybody may run. */
const ownKey = 'RONDO_API_KEY'

/**
 * A line for each provider that can be asked, and one for all the others; in detail, a line for each. Whether keys are set; nothing of what they are. Of
 * those that take no key, Ollama has a check of its own, and the package of another is looked for with the rest.
 */
export function checkProviders(looked: Looked): Check[] {
  const { inDetail } = looked
  const { env } = looked.terminal
  const remote = providers.filter(({ keys }) => keys.length > 0)
  const set = remote.filter((provider) => keyOf(provider, env) !== undefined)
  const missing = remote.filter((provider) => !set.includes(provider))
  // One key may open two doors.
  const told = set.filter((provider, at) => inDetail || set.findIndex(({ keys: [key] }) => key === provider.keys[0]) === at)
  return [
    ...told.map((provider) => keyed(provider, env)),
    ...(given(env[ownKey]) === undefined ? [] : [{ name: '--base-url', state: 'ok', text: `${ownKey} is set`, facts: {} } as const]),
    ...(inDetail ? [...missing.map((provider) => keyless(provider, env)), ...local()] : []),
    summary(remote, missing, looked),
  ]
}

function keyed(provider: Provider, env: Looked['terminal']['env']): Check {
  const { name, place = '' } = provider
  const variable = keyVariableOf(provider, env)
  const address = given(env[place])
  const moved = address === undefined ? '' : `; at ${oneLine(withoutCredentials(address))} by ${place}`
  const lacks = lacking(provider, env)
  if (address !== undefined && !isWebAddress(address)) {
    const text = `${variable} is set, and ${place} is no URL that begins with http:// or https://`
    return { name, state: 'note', text, next: `Correct ${place}, or unset it`, facts: { key: variable } }
  }
  const facts = { key: variable, ...(address === undefined ? {} : { at: withoutCredentials(address) }) }
  const text = `${variable} is set${moved}`
  return lacks.length === 0
    ? { name, state: 'ok', text, facts }
    : { name, state: 'note', text: `${text}, and more is needed`, next: `Set ${lacks.join(' and ')}`, facts }
}

function keyless(provider: Provider, env: Looked['terminal']['env']): Check {
  const { name, title, example, keys } = provider
  const text = `${title}: ${keys.join(' or ')} is not set`
  return {
    name,
    state: 'note',
    text,
    next: `Set ${lacking(provider, env).join(' and ')}: --model ${name}:${example}`,
    facts: { key: null },
  }
}

/** Not asked: anything may listen there. */
function local(): Check[] {
  return providers.flatMap(({ name, title, local: address, example }) =>
    address === undefined
      ? []
      : [{ name, state: 'ok', text: `${title}: needs no key; not asked. It would be at ${address}: --model ${name}:${example}` } as const],
  )
}

function summary(remote: readonly Provider[], missing: readonly Provider[], { terminal: { env }, inDetail }: Looked): Check {
  const facts = Object.fromEntries([...remote.flatMap(({ keys }) => keys), ownKey].map((name) => [name, given(env[name]) !== undefined]))
  const isNone = missing.length === remote.length
  const text = isNone
    ? `none is set, for any of ${count(remote.length, 'provider')}`
    : `not set for ${count(missing.length, 'other provider')}`
  const usual = missing.flatMap(({ usual: model, keys: [key] }) => (model === undefined || key === undefined ? [] : [key]))
  const advice = isNone ? [`For a language model set ${usual.join(', ')}, …`] : []
  const next = [...advice, ...(inDetail ? [] : ['rondo doctor --verbose lists all'])].join('; ')
  return { name: 'keys', state: isNone ? 'note' : 'ok', text, ...(next === '' ? {} : { next }), facts }
}
