import { createHash } from "node:crypto";

/** What is confirmed: the same tool, input and key, and nothing else. */
export interface Confirmable {
  readonly tool: string;
  readonly parts: unknown;
  readonly idempotencyKey: string;
}

/** Stands for a submission; the same for the same JSON, in whatever order its fields were written. */
export function digestOf({ idempotencyKey, parts, tool }: Confirmable): string {
  return digest([tool, idempotencyKey, parts]);
}

/** Stands for every submission with this key: a key belongs to its endpoint. */
export function keyDigestOf({ idempotencyKey, tool }: Confirmable): string {
  return digest([tool, idempotencyKey]);
}

function digest(value: unknown): string {
  const text = JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
  return createHash("sha256").update(text).digest("hex");
}
