import { keys } from './keys.ts'
import { type Fields, maxItemLength, maxItems, maxRate, type Shape } from './shapes.ts'

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
    case 'choice':
      return { type: 'string', enum: shape.of }
    case 'url':
      return { type: 'string', pattern: '^https?://[^\\s/]' }
    case 'whole':
      return { type: 'integer', minimum: shape.from, maximum: shape.to }
    case 'amount':
      return { type: 'number', exclusiveMinimum: 0 }
    case 'rate':
      return { type: 'number', minimum: 0, maximum: maxRate }
    case 'list':
      return { type: 'array', maxItems, items: { type: 'string', maxLength: maxItemLength, pattern: shape.pattern } }
    case 'fields':
      return { type: 'object', properties: propertiesOf(shape.of), required: shape.needs, additionalProperties: false }
    case 'several':
      return { type: 'array', maxItems, items: schemaOf(shape.of) }
    case 'named':
      return {
        type: 'object',
        maxProperties: maxItems,
        propertyNames: { pattern: shape.pattern },
        additionalProperties: schemaOf(shape.of),
      }
  }
}

function propertiesOf(fields: Fields): object {
  return Object.fromEntries(Object.entries(fields).map(([name, shape]) => [name, schemaOf(shape)]))
}
