/**
 * Schemas for providers. How an adapter uses it:
 *
 * ```ts
 * const { schema, strict, isEmpty } = convertSchema(tool.inputJsonSchema, anthropicSchemas)
 * ```
 *
 * - Call it for each request: it is converted once, and the same object comes back each time. Keep encoded bytes by `schema`.
 * - The arguments of a call need no `restore`: a tool's root is an object, so it is never wrapped, and core removes null for optional fields before it
 *   validates, whoever answered. An output's root is an object already when it comes to an adapter. `restore` is for who gets a whole value
 *   himself, as from a grammar.
 * - `isEmpty`: no property at all. Gemini wants `parameters` left out then.
 * - A profile with `strict` gives `strict: true` or, for a schema that can't be, the form that is not with `strict: false` and `whyNotStrict`.
 */
export { convertSchema, type SchemaConversion } from './convert.ts'
export type { SchemaProfile, StrictLimits, StrictRules } from './profile.ts'
export {
  anthropicSchemas,
  anthropicStrictSchemas,
  anySchemas,
  geminiJsonSchemas,
  geminiSchemas,
  llamaCppSchemas,
  mistralSchemas,
  mistralStrictSchemas,
  ollamaFormatSchemas,
  ollamaToolSchemas,
  openaiSchemas,
  openaiStrictSchemas,
} from './profiles.ts'
export { restore } from './restore.ts'
