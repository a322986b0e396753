import type { SubmissionState } from "@insurance-gateway/core/runtime";
import type { IdentifierOwner, StoredResolution, SubmissionRecord } from "./record.ts";
import type { Row } from "./statement.ts";

/** Returns the 16 bytes of a UUID, which are shorter than the text, and faster to find in an index. */
export function uuidToBytes(id: string): Uint8Array {
  return Buffer.from(id.replaceAll("-", ""), "hex");
}

/** Returns the UUID that a column's 16 bytes contain. */
function bytesToUuid(bytes: unknown): string {
  return bytesFromColumn(bytes)
    .toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Returns the submission of a database row. */
export function submissionFromRow(row: Row): SubmissionRecord {
  return {
    id: bytesToUuid(row.id),
    caller: bytesFromColumn(row.caller),
    keyDigest: bytesOrNull(row.key_digest),
    hasChosenKey: Number(row.has_chosen_key) === 1,
    contentDigest: bytesFromColumn(row.content_digest),
    matchDigest: bytesOrNull(row.match_digest),
    searchDigest: bytesOrNull(row.search_digest),
    series: String(row.series),
    provider: String(row.provider),
    segment: String(row.segment),
    account: String(row.account),
    endpoint: String(row.endpoint),
    creates: Number(row.creates) === 1,
    state: stateFromColumn(row.state),
    fence: Number(row.fence),
    receivedAt: Number(row.received_at),
    receivedRunning: Number(row.received_running),
    day: String(row.day),
    updatedAt: Number(row.updated_at),
    leaseUntil: Number(row.lease_until),
    unknownAt: numberOrNull(row.unknown_at),
    unknownRunning: numberOrNull(row.unknown_running),
    absentRunning: numberOrNull(row.absent_running),
    insurerId: stringOrNull(row.insurer_id),
    answeredId: stringOrNull(row.answered_id),
    keyId: stringOrNull(row.key_id),
    matchFields: bytesOrNull(row.match_fields),
    answer: bytesOrNull(row.answer),
    queries: Number(row.queries),
    nextQueryAt: numberOrNull(row.next_query_at),
  };
}

/** Returns the owner of an insurer's identifier from a database row. */
export function ownerFromRow(row: Row): IdentifierOwner {
  return {
    id: bytesToUuid(row.id),
    caller: bytesFromColumn(row.caller),
    contentDigest: bytesFromColumn(row.content_digest),
    segment: String(row.segment),
    account: String(row.account),
  };
}

/** Returns the resolution of a database row. */
export function resolutionFromRow(row: Row): StoredResolution {
  return {
    at: Number(row.at),
    by: String(row.by_whom),
    reason: String(row.reason),
    from: stateFromColumn(row.from_state),
    to: stateFromColumn(row.to_state),
  };
}

/** Returns the bytes of a column as a Buffer, because SQLite and PostgreSQL return bytes in different types. */
export function bytesFromColumn(value: unknown): Buffer {
  if (!(value instanceof Uint8Array)) throw new TypeError("The store must return bytes");
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

/** Returns the submission state of a column. */
export function stateFromColumn(value: unknown): SubmissionState {
  // Only gateways write states, and the store of a newer gateway is refused.
  return String(value) as SubmissionState;
}

function bytesOrNull(value: unknown): Uint8Array | null {
  return value === null || value === undefined ? null : bytesFromColumn(value);
}

/** Returns the number of a column, or null. */
export function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}

function stringOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}
