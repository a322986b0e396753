import type { SubmissionState } from "@insurance-gateway/core/runtime";
import { isOfSameAccount } from "../../../src/store/claim.ts";
import type {
  ClaimRule,
  NewSubmission,
  Settlement,
  SimilarSubmissions,
  SubmissionRecord,
} from "../../../src/store/record.ts";
import type { Moment } from "../../../src/store/running-time.ts";
import type { SubmissionStore, UnknownOutcomeCount } from "../../../src/store/store.ts";

/** A submission in the model, with all data that the store has of the submission. */
export interface Kept extends SubmissionRecord {
  readonly closed: boolean;
  readonly answerUntil: number | null;
  readonly forgetAt: number | null;
  readonly queriedAt: number | null;
  /** Running time when the submission was settled. */
  readonly running: number | null;
  readonly laterKeys: readonly Uint8Array[];
}

const OPEN: readonly SubmissionState[] = ["in_flight", "outcome_unknown", "needs_review"];

export function isOpen({ state }: SubmissionRecord): boolean {
  return OPEN.includes(state);
}

/** Returns the submission as it is after its claim. */
export function claimed(submission: NewSubmission): Kept {
  return {
    ...submission,
    keyId: submission.matchFields === null ? null : submission.keyId,
    state: "in_flight",
    fence: 1,
    updatedAt: submission.receivedAt,
    unknownAt: null,
    unknownRunning: null,
    absentRunning: null,
    insurerId: null,
    answeredId: null,
    answer: null,
    queries: 0,
    nextQueryAt: null,
    closed: false,
    answerUntil: null,
    forgetAt: null,
    queriedAt: null,
    running: null,
    laterKeys: [],
  };
}

/** Returns an earlier submission of the same caller with the same content, if the claim's rule compares contents. */
export function earlierEqual(
  kept: readonly Kept[],
  { caller, contentDigest }: NewSubmission,
  { compared, succeededSince }: ClaimRule,
): Kept | undefined {
  const equal = kept
    .filter(
      (one) =>
        compared &&
        isSame(one.caller, caller) &&
        isSame(one.contentDigest, contentDigest) &&
        (isOpen(one) ||
          (one.state === "succeeded" && !one.closed && (one.running ?? 0) > succeededSince)),
    )
    .toReversed();
  return equal.find(isOpen) ?? equal.find((one) => !one.hasChosenKey) ?? equal.at(0);
}

/** Reports whether an open submission of another account may own the insurer's answer to a submission. */
export function isContested(
  kept: readonly Kept[],
  own: Kept,
  rivals: Settlement["rivals"],
): boolean {
  return kept.some(
    (one) =>
      rivals !== null &&
      isOpen(one) &&
      !isOfSameAccount(one, own) &&
      isSame(one.matchDigest, own.matchDigest) &&
      one.receivedAt <= rivals.receivedUntil &&
      (one.unknownAt === null || one.unknownAt >= rivals.unknownSince),
  );
}

/** Returns the submission that already has the insurer's identifier. */
export function otherOwner(
  kept: readonly Kept[],
  own: Kept,
  insurerId: string | null,
  unique: Settlement["unique"],
): Kept | undefined {
  const owners = kept.filter(
    (one) =>
      one.id !== own.id &&
      one.creates &&
      own.creates &&
      one.provider === own.provider &&
      one.series === own.series &&
      (unique === "provider" || isOfSameAccount(one, own)) &&
      one.insurerId !== null &&
      one.insurerId === insurerId,
  );
  return owners.find((one) => isOfSameAccount(one, own)) ?? owners.at(0);
}

export function hasKey(
  { keyDigest: first, laterKeys }: Kept,
  keyDigest: Uint8Array | null,
): boolean {
  return [first, ...laterKeys].some((known) => isSame(known, keyDigest));
}

function isSame(one: Uint8Array | null, other: Uint8Array | null): boolean {
  return one !== null && other !== null && Buffer.from(one).equals(other);
}

/** Returns the changes of a submission whose outcome becomes unknown. */
export function becameUnknown(
  fence: number,
  { at, running }: Moment,
  nextQueryAt: number | null,
): Partial<Kept> {
  return {
    state: "outcome_unknown",
    fence: fence + 1,
    updatedAt: at,
    unknownAt: at,
    unknownRunning: running,
    nextQueryAt,
  };
}

export function isPlannedAfter({ nextQueryAt, state }: Kept, at: number): boolean {
  return state === "outcome_unknown" && nextQueryAt !== null && nextQueryAt > at;
}

export function isQueried(one: Kept, id: string, fence: number): boolean {
  return one.id === id && one.fence === fence && one.state === "outcome_unknown";
}

/** Returns a submission as the store would, without the fields that only the store's own statements use. */
export function recordOf(one: Kept): SubmissionRecord {
  const {
    answerUntil: _until,
    closed: _closed,
    forgetAt: _forget,
    queriedAt: _queried,
    running: _running,
    laterKeys: _keys,
    ...record
  } = one;
  return record;
}

/** Counts, for each segment, the submissions of unknown outcome. */
export function countOf(kept: readonly Kept[]): readonly UnknownOutcomeCount[] {
  const unknown = kept.filter((one) => isOpen(one) && one.state !== "in_flight");
  return [...new Set(unknown.map(({ segment }) => segment))].toSorted().map((segment) => ({
    segment,
    count: unknown.filter((one) => one.segment === segment).length,
  }));
}

/** Returns the submissions that may own the items that a query about `submission` finds. */
export function competitorsIn(
  kept: readonly Kept[],
  submission: Parameters<SubmissionStore["similarSubmissions"]>[0],
  insurerIds: readonly string[],
): SimilarSubmissions {
  const { id, matchDigest, provider, searchDigest, series } = submission;
  const index = kept.findIndex((one) => one.id === id);
  const others = kept.filter((one) => one.id !== id);
  const older = kept.slice(0, Math.max(0, index));
  const isOwn = (one: Kept): boolean => isOfSameAccount(one, submission);
  const similar = others.filter((one) => isSame(one.matchDigest, matchDigest));
  const isUnnamed = ({ creates, insurerId, state }: Kept): boolean =>
    state === "succeeded" && creates && insurerId === null;
  const own = similar.filter((one) => isOwn(one) && isSame(one.searchDigest, searchDigest));
  const open = own.filter(isOpen);
  return {
    similarOpen: open.length,
    similarInFlight: open.filter(({ state }) => state === "in_flight").length,
    similarOlder: open.filter((one) => older.includes(one)).length,
    similarUnnamed: own.filter(isUnnamed).length,
    rivals: similar
      .filter((one) => !isOwn(one) && (isOpen(one) || isUnnamed(one)))
      .map((one) => ({
        from: one.receivedAt,
        until: isUnnamed(one) ? one.updatedAt : one.state === "in_flight" ? null : one.unknownAt,
      })),
    known: others.flatMap((one) =>
      one.provider === provider &&
      one.series === series &&
      one.creates &&
      one.insurerId !== null &&
      insurerIds.includes(one.insurerId)
        ? [
            {
              from: one.receivedAt,
              until: one.updatedAt,
              insurerId: one.insurerId,
              segment: one.segment,
              account: one.account,
              hasSameMatchFields: isSame(one.matchDigest, matchDigest),
            },
          ]
        : [],
    ),
  };
}
