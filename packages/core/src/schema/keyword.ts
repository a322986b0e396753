import * as z from "zod/mini";
import type { FaultCode } from "../contract/faults.ts";

/** A keyword of JSON Schema that zod does not check, or checks differently. */
export interface Keyword<T> {
  /** The name in JSON Schema. */
  readonly name: string;
  /** The value in JSON Schema, if it differs from the given value. */
  readonly value?: unknown;
  readonly holds: (value: T) => boolean;
  readonly code: FaultCode;
  /** True if the check of a value stops at this fault. */
  readonly abort?: true;
  /** The message: the end of a sentence that begins with the name of the field. */
  readonly message: string;
}

/** Returns the checks of a keyword, with the keyword's entry in the JSON Schema; empty if the keyword is not set. */
export function keyword<Given, T>(
  given: Given | undefined,
  describe: (given: Given) => Keyword<T>,
): z.core.$ZodCheck<T>[] {
  if (given === undefined) return [];
  const { abort = false, code, holds, message, name, value = given } = describe(given);
  return [
    z.meta({ [name]: value }),
    z.refine<T>(holds, { abort, error: message, params: { code } }),
  ];
}
