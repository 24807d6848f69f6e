/**
 * The two halves of the Standard Schema specification (version 1) that Rondo needs in one value: validation
 * (`~standard.validate`) and conversion to JSON Schema (`~standard.jsonSchema`). Declared here so that the library has no
 * dependency; `test/types` proves that the published types are assignable both ways. https://standardschema.dev
 */
export interface Schema<Input = unknown, Output = Input> {
  readonly '~standard': StandardProps<Input, Output>
}

export interface StandardProps<Input = unknown, Output = Input> {
  readonly version: 1
  readonly vendor: string
  readonly types?: { readonly input: Input; readonly output: Output } | undefined
  readonly validate: (
    value: unknown,
    options?: { readonly libraryOptions?: Record<string, unknown> | undefined } | undefined,
  ) => ValidationResult<Output> | Promise<ValidationResult<Output>>
  readonly jsonSchema: StandardConverter
}

export interface StandardConverter {
  readonly input: (options: StandardConverterOptions) => Record<string, unknown>
  readonly output: (options: StandardConverterOptions) => Record<string, unknown>
}

export interface StandardConverterOptions {
  readonly target: 'draft-2020-12' | 'draft-07' | 'openapi-3.0' | ({} & string)
  readonly libraryOptions?: Record<string, unknown> | undefined
}

export type ValidationResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<ValidationIssue> }

export interface ValidationIssue {
  readonly message: string
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
}

/** The type a schema takes. */
export type In<S extends Schema> = NonNullable<S['~standard']['types']>['input']
/** The type a schema returns. */
export type Out<S extends Schema> = NonNullable<S['~standard']['types']>['output']
