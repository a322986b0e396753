import type { Endpoint } from "../contract/endpoint.ts";
import type { Repetition } from "../rules/open-answers.ts";
import type { Refusal } from "../rules/refusal.ts";
import { type StoredAnswer, withType } from "../rules/stored-answer.ts";
import { type StoredSubmission, submissionAddress } from "../rules/submission-standing.ts";
import type { SearchedFields } from "../rules/verdict.ts";
import type { GatewayAnswer } from "./insurer-answer.ts";
import type { RunningInsurer } from "./simulated-insurer.ts";

/** Base address of the error pages in a fake gateway's problems. */
export const FAKE_ERROR_PAGES_ADDRESS = "https://gateway.example/reference/errors/";

/** Endpoint that a fake gateway serves. */
export interface FakeRoute {
  readonly endpoint: Endpoint;
  readonly name: string;
  readonly segment: string;
  /** All endpoints of the route's provider, by name. */
  readonly endpoints: Readonly<Record<string, Endpoint>>;
  readonly insurer: RunningInsurer;
}

/** A submission as the fake gateway stores it. */
export interface FakeStoredSubmission extends StoredSubmission {
  readonly route: FakeRoute;
  readonly requestId: string;
  /** How the caller identifies the submission: by its key or by its content. */
  readonly asker: Repetition;
  /** End of the exchange with the insurer, in milliseconds since 1970. `ended` is its result. */
  readonly endsAt: number;
  readonly ended: GatewayAnswer | Refusal;
  readonly content: string;
  readonly fields: SearchedFields;
  readonly keys: Set<string>;
  hasChosenKey: boolean;
  state: StoredSubmission["state"];
  updatedAt: number;
  nextQueryAt: number | null;
  insurerId: string | null;
  unknownAt: number | null;
  absentAt: number | null;
  closed: boolean;
  stored: StoredAnswer | null;
  /** Answer to the request that sent this submission; null while the submission is in flight. */
  own: StoredAnswer | Refusal | null;
}

/** Reports whether a submission has no result yet. */
export function isOpenSubmission({ state }: FakeStoredSubmission): boolean {
  return state !== "succeeded" && state !== "failed";
}

export function hrefOf({ id }: FakeStoredSubmission): string {
  return submissionAddress("", id);
}

/** Stores the result of a submission. */
export function storeResult(
  record: FakeStoredSubmission,
  state: "succeeded" | "failed",
  answer: StoredAnswer,
  { closed = false, insurerId }: { readonly closed?: boolean; readonly insurerId: string | null },
): void {
  record.state = state;
  record.stored = { ...answer, content: withType(answer, FAKE_ERROR_PAGES_ADDRESS) };
  record.insurerId = insurerId;
  record.closed = closed;
  record.nextQueryAt = null;
}
