import { isJsonObject, type Json } from '../../core/json.ts'
import { withoutNullFields } from '../../core/null-fields.ts'
import type { SchemaConversion } from './convert.ts'

/**
 * What a model wrote for a converted schema, as a value of the original: a wrapper is taken off (only one that was put on: B189), and null for an
 * optional field that can't be null is removed (B181). What does not have the form that was asked for comes back as it is: the validator says what is
 * wrong with it.
 */
export function restore({ source, strict, wrapper }: Pick<SchemaConversion, 'source' | 'strict' | 'wrapper'>, value: Json): Json {
  const own = wrapper === undefined ? value : unwrapped(wrapper, value)
  return withoutNullFields(source, own, { closed: strict })
}

function unwrapped(wrapper: string, value: Json): Json {
  if (!isJsonObject(value) || Object.keys(value).length !== 1 || !Object.hasOwn(value, wrapper)) return value
  return value[wrapper] ?? null
}
