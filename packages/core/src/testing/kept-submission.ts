import type { Endpoint } from "../contract/endpoint.ts";
import type { Repetition } from "../rules/open-answers.ts";
import type { Refusal } from "../rules/refusal.ts";
import { type StoredAnswer, withType } from "../rules/stored-answer.ts";
import type { StoredSubmission } from "../rules/submission-standing.ts";
import type { SearchedFields } from "../rules/verdict.ts";
import type { PassedAnswer } from "./insurer-answer.ts";
import type { RunningInsurer } from "./simulated-insurer.ts";

/** The error pages that a fake gateway's problems name. */
export const FAKE_PAGES = "https://gateway.example/reference/errors/";

/** An endpoint that a fake gateway serves. */
export interface FakeRoute {
  readonly endpoint: Endpoint;
  readonly name: string;
  readonly segment: string;
  /** All endpoints of its provider, by name. */
  readonly endpoints: Readonly<Record<string, Endpoint>>;
  readonly insurer: RunningInsurer;
}

/** A submission as the fake gateway stores it. */
export interface Kept extends StoredSubmission {
  readonly route: FakeRoute;
  readonly requestId: string;
  /** Its caller: the holder of its key, or of its content. */
  readonly asker: Repetition;
  /** When the exchange with the insurer ends, and what it proves. */
  readonly endsAt: number;
  readonly ended: PassedAnswer | Refusal;
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
  /** The answer to the request that sent it; null while it is in flight. */
  own: StoredAnswer | Refusal | null;
}

/** Whether a submission has no end yet. */
export function isOpen({ state }: Kept): boolean {
  return state !== "succeeded" && state !== "failed";
}

/** Writes the end of a submission. */
export function settle(
  record: Kept,
  state: "succeeded" | "failed",
  answer: StoredAnswer,
  { closed = false, insurerId }: { readonly closed?: boolean; readonly insurerId: string | null },
): void {
  record.state = state;
  record.stored = { ...answer, content: withType(answer, FAKE_PAGES) };
  record.insurerId = insurerId;
  record.closed = closed;
  record.nextQueryAt = null;
}
