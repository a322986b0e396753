import type { StandardSchemaV1 } from "@standard-schema/spec";

/**
 * A checked description of a value as it is on the wire. It is a Standard Schema, so that no zod type
 * stands in a provider's declarations and two versions of zod never meet in an application's types.
 */
export interface Schema<T> extends StandardSchemaV1<T, T> {}
