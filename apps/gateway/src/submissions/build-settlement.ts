import type { RivalTimes, StoredAnswer } from "@insurance-gateway/core/runtime";
import type { Retention } from "../configuration/submission-store.ts";
import type { Encryption } from "../store/encryption.ts";
import type { Settlement } from "../store/record.ts";
import type { Moment } from "../store/running-time.ts";
import { encryptMatchFields, type MatchFields } from "./match.ts";
import { encryptAnswer } from "./stored-answer.ts";

/** The result of a submission that is not stored yet. */
export interface Conclusion extends Pick<Settlement, "state" | "insurerId" | "unique"> {
  /** As in `Settlement`. Null or omitted if the result does not come from the insurer's answer to the submission. */
  readonly rivals?: RivalTimes | null;
  /**
   * The last query for a submission that failed because queries did not find it. This query may still correct the
   * failure.
   */
  readonly recheck?: { readonly at: number; readonly matchFields: MatchFields };
  /** As in `Settlement`. Only an insurer's answer or list shows that the application was declined or has ended. */
  readonly closed?: boolean | undefined;
  readonly answer: StoredAnswer;
}

/** Returns the settlement that stores a submission's result. */
export function buildSettlement(
  { encryption, retention }: { readonly encryption: Encryption; readonly retention: Retention },
  id: string,
  { at, running }: Moment,
  { answer, closed = false, recheck, rivals = null, ...conclusion }: Conclusion,
): Settlement {
  return {
    ...conclusion,
    closed,
    rivals,
    recheck: recheck
      ? { at: recheck.at, matchFields: encryptMatchFields(encryption, id, recheck.matchFields) }
      : null,
    id,
    at,
    running,
    answer: encryptAnswer(encryption, id, answer),
    keyId: encryption.keyId,
    answerUntil: at + retention.answerMs,
    forgetAt: running + retention.digestsMs,
  };
}
