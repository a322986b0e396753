import type { CheckedInput, IdempotencyKey, Repetition } from "@insurance-gateway/core/runtime";
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

/** The parts of the gateway that claim, send and conclude submissions. */
export interface SubmitParts {
  readonly store: SubmissionStore;
  readonly recorder: Recorder;
  readonly identity: SubmissionDigests;
  readonly encryption: Encryption;
  readonly retention: Retention;
  readonly basePath: string;
  /** The process's clocks, which the gateway uses only for durations within the process. */
  readonly time: Pick<Time, "elapsed" | "now">;
  readonly clock: StoreClock;
  readonly logger: Logger;
  /** Makes a submission's query due if the outcome may be unknown, because a caller requests the submission. */
  readonly requestQuery: (record: SubmissionRecord) => void;
  /** Quotas for the accounts' submissions per day. */
  readonly quotas: Pick<Quotas, "submissionsPerDay" | "submissionRefused">;
  /** The operator's calendar, which determines the day of a submission and the zone of times without an offset. */
  readonly days: Pick<Days, "dayOf" | "offsetAt">;
  readonly observation: Pick<Observation, "answerMismatched">;
}

/** A caller's request for a submission. */
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

/** A submission that the gateway has claimed or is about to claim. */
export interface Submission {
  readonly route: ProviderRoute;
  readonly call: SubmissionCall;
  readonly record: NewSubmission;
  /** Time of the submission's arrival, by `Time.elapsed()` and by `Time.now()`. */
  readonly begunAt: { readonly elapsed: number; readonly now: number };
  /** How a repetition of this submission is recognised: by its key or, without a key, by its content. */
  readonly asker: Repetition;
  readonly href: string;
}
