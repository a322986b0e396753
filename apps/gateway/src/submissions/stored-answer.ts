import type { UpstreamAnswer } from "../upstream/answer.ts";
import type { Sealer } from "./sealing.ts";

/** An answer as it is kept, to be replayed byte for byte. */
export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string;
  /** The code and outcome of a problem, for the log. */
  readonly problem?: { readonly code: string; readonly outcome: string };
}

/** Seals an answer for its place in the store. */
export function sealAnswer(sealer: Sealer, id: string, answer: StoredAnswer): Uint8Array {
  return sealer.seal(Buffer.from(JSON.stringify(answer)), `answer ${id}`);
}

/** Opens a kept answer. */
export function openAnswer(
  sealer: Sealer,
  id: string,
  sealed: Uint8Array,
  keyId: string,
): StoredAnswer {
  const bytes = sealer.open(sealed, keyId, `answer ${id}`);
  // What opens was sealed by this gateway, above.
  return JSON.parse(Buffer.from(bytes).toString("utf8")) as StoredAnswer;
}

/** The same answer again, marked as what it is. */
export function replayed(answer: StoredAnswer): UpstreamAnswer {
  return { ...answer, headers: { ...answer.headers, "idempotency-replayed": "true" } };
}
