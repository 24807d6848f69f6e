import { keys, maxItemLength, maxItems, type Shape } from './keys.ts'

/** Where the schema lies in the installed package. */
export const schemaPath = 'schemas/rondo.config.schema.json'

/** The JSON schema of `rondo.config.json`, for editors; the file in `schemas/` is this. */
export function configSchema(): object {
  const properties = Object.entries(keys).map(([key, { shape, description }]) => [key, { description, ...schemaOf(shape) }])
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'rondo.config.json',
    description: 'Defaults of the rondo command. Flags and RONDO_MODEL go before them.',
    type: 'object',
    properties: { $schema: { description: 'The address of this schema, for editors.', type: 'string' }, ...Object.fromEntries(properties) },
    additionalProperties: false,
  }
}

function schemaOf(shape: Shape): object {
  switch (shape.is) {
    case 'switch':
      return { type: 'boolean' }
    case 'text':
      return { type: 'string', maxLength: shape.maxLength, pattern: '\\S' }
    case 'url':
      return { type: 'string', pattern: '^https?://[^\\s/]' }
    case 'whole':
      return { type: 'integer', minimum: shape.from, maximum: shape.to }
    case 'amount':
      return { type: 'number', exclusiveMinimum: 0 }
    case 'list':
      return { type: 'array', maxItems, items: { type: 'string', maxLength: maxItemLength, pattern: shape.pattern } }
  }
}
