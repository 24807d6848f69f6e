/**
 * What a provider takes of JSON Schema, as data. A profile is made once (a constant): what was converted for it is kept by it.
 */
export interface SchemaProfile {
  /** Names it in notes. */
  readonly name: string
  /** The keywords that are sent; all, where nothing is known to be refused. What is not among them is said in the description. */
  readonly words: ReadonlySet<string> | 'all'
  /** Whether the root has to be one plain object: no alternatives, no reference (B179). */
  readonly plainRoot: boolean
  /** How alternatives are written: as they are, or all with one word. */
  readonly union: 'keep' | 'anyOf' | 'oneOf'
  /** Nothing may stand beside alternatives: what does goes into each of them. */
  readonly unionAlone: boolean
  /** `type` may be a list. Else there is an alternative for each type. */
  readonly typeLists: boolean
  /** How a value says that it may be null: by its type, or with `nullable: true` (OpenAPI 3.0). */
  readonly nullable: 'type' | 'flag'
  readonly typeCase: 'lower' | 'upper'
  /** Each schema says its type, and each list that of its items. */
  readonly typeRequired: boolean
  /** `$ref` to `$defs`: kept; kept but for schemas that come back to themselves; or none, the schema stands in its place. */
  readonly references: 'keep' | 'acyclic' | 'inline'
  /** What `enum` and `const` may hold. */
  readonly enums: 'any' | 'scalars' | 'strings'
  readonly formats: ReadonlySet<string> | 'any'
  /** `plain`: no look-around, no back-references, no word boundaries. */
  readonly patterns: 'any' | 'plain'
  /** What `additionalProperties` may be, where it is a word at all. */
  readonly additional: 'any' | 'false'
  /** The largest `minItems` that is sent. Default: any. */
  readonly mostMinItems?: number
  /** The largest of `minItems`, `maxItems`, `minLength` and `maxLength` that is sent. Default: any. */
  readonly mostRepeats?: number
  /** A root without `properties` gets an empty one, and a list without `items` too. */
  readonly saysEmpty: boolean
  /** The order of properties is lost unless `propertyOrdering` says it. */
  readonly ordersProperties: boolean
  readonly strict?: StrictRules
}

/** What holds where the provider makes the model keep to the schema. A schema that can't be brought to it is sent as `instead` says. */
export interface StrictRules {
  /** Each field is required; one that was not may be null (OpenAI). Else optional fields stay so. */
  readonly allRequired: boolean
  readonly instead: SchemaProfile
  readonly limits: StrictLimits
}

/** Of one schema, at most. A limit that is not there is none. */
export interface StrictLimits {
  readonly properties?: number
  /** Objects in objects. */
  readonly depth?: number
  readonly enumValues?: number
  /** Characters in the names of properties and definitions and in the values of enums and consts. */
  readonly nameCharacters?: number
  /** Characters in one enum of more than 250 strings. */
  readonly longEnumCharacters?: number
  /** Fields that are not required. */
  readonly optionalFields?: number
  /** Schemas with alternatives or with several types. */
  readonly unions?: number
}
