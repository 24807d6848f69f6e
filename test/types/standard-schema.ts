import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import type { In, Out, Schema } from 'rondo'
import type {
  StandardConverter,
  StandardConverterOptions,
  StandardProps,
  ValidationIssue,
  ValidationResult,
} from '../../src/core/schema.ts'

// Our declarations of the two standards and the published ones (@standard-schema/spec 1.1.0) are assignable both ways: the shipped types
// need no dependency, and a schema of any library that keeps the standard is a `Schema`.

/** Compiles only when a value of each type may stand where the other is asked for. */
type Both<A, B> = [A] extends [B] ? ([B] extends [A] ? true : { readonly missing: B }) : { readonly missing: A }
declare function mutual<A, B>(..._: Both<A, B> extends true ? [] : [Both<A, B>]): void
type Equal<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false
declare function same<A, B>(..._: Equal<A, B> extends true ? [] : [got: A, want: B]): void

interface Published<I, O> {
  readonly '~standard': StandardSchemaV1.Props<I, O> & StandardJSONSchemaV1.Props<I, O>
}

type Read = { days?: number; city: string }
type Parsed = { days: number; city: string }

mutual<Schema, Published<unknown, unknown>>()
mutual<Schema<Read, Parsed>, Published<Read, Parsed>>()
mutual<StandardProps<Read, Parsed>, StandardSchemaV1.Props<Read, Parsed> & StandardJSONSchemaV1.Props<Read, Parsed>>()
mutual<StandardConverter, StandardJSONSchemaV1.Converter>()
mutual<StandardConverterOptions, StandardJSONSchemaV1.Options>()
mutual<ValidationResult<Parsed>, StandardSchemaV1.Result<Parsed>>()
mutual<ValidationIssue, StandardSchemaV1.Issue>()

// Each half alone is what the standard asks for.
mutual<Pick<StandardProps<Read, Parsed>, keyof StandardSchemaV1.Props>, StandardSchemaV1.Props<Read, Parsed>>()
mutual<Pick<StandardProps<Read, Parsed>, keyof StandardJSONSchemaV1.Props>, StandardJSONSchemaV1.Props<Read, Parsed>>()
declare const ours: Schema<Read, Parsed>
const validator: StandardSchemaV1<Read, Parsed> = ours
const converter: StandardJSONSchemaV1<Read, Parsed> = ours

same<In<typeof ours>, StandardSchemaV1.InferInput<typeof validator>>()
same<Out<typeof ours>, StandardSchemaV1.InferOutput<typeof validator>>()
same<In<typeof ours>, StandardJSONSchemaV1.InferInput<typeof converter>>()

// @ts-expect-error validation alone is no Schema: a model could not be told what to send
const half: Schema<Read, Parsed> = validator

export { converter, half }
