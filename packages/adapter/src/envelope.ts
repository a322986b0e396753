import { valueAt } from "@insurance-gateway/core/contract";

/**
 * A field of every answer with a success status. If the field has none of the values of `success`, the answer is an
 * error answer. The rows of `failures` for the status then decide the outcome; without a row, the outcome of a
 * submission is `unknown`.
 */
export interface PublishedEnvelope {
  /** The JSON Pointer of the field: `/success`. */
  readonly at: string;
  /**
   * The values that mark a success, as the contract declares them: `[true]`, or `["0"]` for a 64-bit number. A missing
   * field and an empty list count as `null`.
   */
  readonly success: readonly (string | number | boolean | null)[];
}

/** Reports whether the envelope of an answer marks a success. */
export function marksSuccess({ at, success }: PublishedEnvelope, content: unknown): boolean {
  const found = valueAt(content, at) ?? null;
  const value = Array.isArray(found) && found.length === 0 ? null : found;
  return success.some((one) => one === value);
}
