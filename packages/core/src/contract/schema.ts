import type { StandardSchemaV1 } from "@standard-schema/spec";

/**
 * A schema that describes a value as it is sent. It is a Standard Schema, so that a provider's declarations have no
 * types of zod, and an application never mixes the types of two zod versions.
 */
export interface Schema<T> extends StandardSchemaV1<T, T> {}

/** A value of a list that the insurer may extend. Editors complete the known values; any other string is accepted. */
export type OpenEnum<Known extends string> = Known | (string & Record<never, never>);
