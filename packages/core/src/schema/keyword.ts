import * as z from "zod/mini";
import type { FaultCode } from "../contract/faults.ts";

/** A keyword of JSON Schema that zod does not check, or checks in another way. */
export interface Keyword<T> {
  /** The name in JSON Schema. */
  readonly name: string;
  /** The value in JSON Schema, where it is not the one that was given. */
  readonly value?: unknown;
  readonly holds: (value: T) => boolean;
  readonly code: FaultCode;
  /** What must hold, as the end of a sentence that begins with the field. */
  readonly message: string;
}

/** The checks of a keyword, and its text in the JSON Schema; none where the keyword is not given. */
export function keyword<Given, T>(
  given: Given | undefined,
  describe: (given: Given) => Keyword<T>,
): z.core.$ZodCheck<T>[] {
  if (given === undefined) return [];
  const { code, holds, message, name, value = given } = describe(given);
  return [z.meta({ [name]: value }), z.refine<T>(holds, { error: message, params: { code } })];
}
