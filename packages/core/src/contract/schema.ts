import type { StandardSchemaV1 } from "@standard-schema/spec";

/**
 * A schema that describes a value as it is sent. It is a Standard Schema, so that a provider's declarations have no
 * types of zod, and an application never mixes the types of two zod versions.
 */
export interface Schema<T> extends StandardSchemaV1<T, T> {}
