import { valueAt } from "@insurance-gateway/core/contract";

/**
 * The common form of answers with a success status. An answer without a value of `success` is an error answer. The rows
 * of `failures` interpret it by its own status; without a matching row, the outcome of a submission is unknown.
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
