import type { Asker, CheckedInput, IdempotencyKey } from "@insurance-gateway/core/runtime";
import type { Days } from "../accounts/usage/days.ts";
import type { Quotas } from "../accounts/usage/quotas.ts";
import type { Caller } from "../callers/caller.ts";
import type { Retention } from "../configuration/submission-store.ts";
import type { Observation } from "../events.ts";
import type { CallOrigin } from "../insurers/call.ts";
import type { Logger } from "../operator/logging/logger.ts";
import type { ProviderRoute } from "../routing/route.ts";
import type { Encryption } from "../store/encryption.ts";
import type { NewSubmission, SubmissionRecord } from "../store/record.ts";
import type { SubmissionStore } from "../store/store.ts";
import type { Time } from "../time.ts";
import type { SubmissionDigests } from "./identity.ts";
import type { Recorder } from "./recorder.ts";
import type { StoreClock } from "./store-clock.ts";

/** The parts with which submissions are claimed, sent and concluded. */
export interface SubmitParts {
  readonly store: SubmissionStore;
  readonly recorder: Recorder;
  readonly identity: SubmissionDigests;
  readonly encryption: Encryption;
  readonly retention: Retention;
  readonly basePath: string;
  /** The process's own clocks, which only measure durations within the process. */
  readonly time: Pick<Time, "elapsed" | "now">;
  readonly clock: StoreClock;
  readonly logger: Logger;
  /** Makes the query of a submission due if its outcome may be unknown, because a caller asks for the submission. */
  readonly requestQuery: (record: SubmissionRecord) => void;
  /** Quotas of the accounts' submissions. */
  readonly quotas: Pick<Quotas, "submissionsPerDay" | "submissionRefused">;
  /** The calendar by which submissions are counted, and by which an insurer's times without a zone are read. */
  readonly days: Pick<Days, "dayOf" | "offsetAt">;
  readonly observation: Pick<Observation, "answerMismatched">;
}

/** A requested submission. */
export interface SubmissionCall {
  readonly caller: Caller;
  readonly key: IdempotencyKey | null;
  /** Longest time that the caller waits for the answer, in milliseconds; null for no limit. */
  readonly waitMs: number | null;
  /** The id of the caller's account. */
  readonly account: string;
  readonly input: CheckedInput;
  readonly origin: CallOrigin;
}

/** A submission that was claimed, or is to be claimed. */
export interface Submission {
  readonly route: ProviderRoute;
  readonly call: SubmissionCall;
  readonly record: NewSubmission;
  /** Time of its arrival, by `Time.elapsed()` and by `Time.now()`. */
  readonly begunAt: { readonly elapsed: number; readonly now: number };
  /** The caller of this submission: the owner of its key, or of its content. */
  readonly asker: Asker;
  readonly href: string;
}
