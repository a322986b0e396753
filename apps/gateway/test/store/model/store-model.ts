import { defaultAccount } from "../../../src/configuration/account.ts";
import type {
  ClaimRule,
  NewSubmission,
  Resolution,
  Settlement,
  SettleResult,
  StoredResolution,
  StoredSecret,
} from "../../../src/store/record.ts";
import type { RunningTimeMethods } from "../../../src/store/running-time.ts";
import type { ClaimResult, SubmissionStore } from "../../../src/store/store.ts";
import type { RestoredStoreMethods } from "../../../src/store/store-identity.ts";
import { createAccountsModel } from "./accounts.ts";
import { type AtOnce, createUsageModel } from "./counts.ts";
import {
  becameUnknown,
  claimed,
  competitorsIn,
  countOf,
  earlierEqual,
  hasKey,
  isContested,
  isOpen,
  isPlannedAfter,
  isQueried,
  type Kept,
  otherOwner,
  recordOf,
} from "./kept-submissions.ts";

/** A model of the store in memory, whose methods return at once. */
export type StoreModel = AtOnce<
  Omit<
    SubmissionStore,
    | "close"
    | "isMoved"
    | "shared"
    | "lead"
    | "isLed"
    | "openAccounts"
    | keyof RunningTimeMethods
    | keyof RestoredStoreMethods
  >
>;

/** Minimum time between two queries about the same submission when all queries are brought forward, in milliseconds. */
const JUST_QUERIED_MS = 1_000;

/** Creates the model of an empty store. */
export function createStoreModel(): StoreModel {
  /** Submissions in the order of their claims. */
  let kept: readonly Kept[] = [];
  const resolutions = new Map<string, readonly StoredResolution[]>();
  const secrets = new Map<string, StoredSecret>();

  const accounts = createAccountsModel((account) =>
    kept.some((one) => one.account === account && isOpen(one)),
  );
  const usage = createUsageModel(() => kept);

  const find = (id: string): Kept | undefined => kept.find((one) => one.id === id);
  const change = (which: (one: Kept) => boolean, changed: (one: Kept) => Partial<Kept>): number => {
    const count = kept.filter(which).length;
    kept = kept.map((one) => (which(one) ? { ...one, ...changed(one) } : one));
    return count;
  };
  const resolve = (
    id: string,
    at: number,
    { by, reason }: Resolution,
    states: Pick<StoredResolution, "from" | "to">,
  ): void =>
    void resolutions.set(id, [...(resolutions.get(id) ?? []), { by, reason, at, ...states }]);

  function claim(submission: NewSubmission, rule: ClaimRule): ClaimResult {
    const { keyDigest } = submission;
    const sameKey = kept.find((one) => hasKey(one, keyDigest));
    if (sameKey !== undefined)
      return { claimed: false, relation: "same_key", existing: recordOf(sameKey) };
    const earlier = earlierEqual(kept, submission, rule);
    if (earlier !== undefined) {
      const existing = recordOf(earlier);
      if (
        keyDigest === null ||
        earlier.segment !== submission.segment ||
        earlier.account !== submission.account
      )
        return { claimed: false, relation: "same_content", existing };
      if (!submission.hasChosenKey || !earlier.hasChosenKey) {
        change(
          ({ id }) => id === earlier.id,
          (one) => ({
            keyDigest: one.keyDigest ?? keyDigest,
            laterKeys: one.keyDigest === null ? [] : [...one.laterKeys, keyDigest],
            hasChosenKey: one.hasChosenKey || submission.hasChosenKey,
          }),
        );
        return { claimed: false, relation: "same_key", existing };
      }
      if (isOpen(earlier)) return { claimed: false, relation: "other_key", existing };
    }
    if (submission.account !== defaultAccount && accounts.isRemoved(submission.account))
      return { claimed: false, relation: "no_account", existing: null };
    const { quota } = rule;
    const used = usage.submissionsOn(submission);
    if (quota !== null && used >= quota)
      return { claimed: false, relation: "over_quota", existing: null, quota, used };
    kept = [...kept, claimed(submission)];
    return { claimed: true };
  }

  function settleIf(
    { at, id, recheck, rivals, unique, ...settlement }: Settlement,
    mayBeSettled: (one: Kept) => boolean,
    isAnswer = false,
  ): SettleResult {
    const own = find(id);
    if (own !== undefined && isAnswer && mayBeSettled(own) && isContested(kept, own, rivals))
      return "contested";
    const owner = own && otherOwner(kept, own, settlement.insurerId, unique);
    if (owner !== undefined) {
      const { caller, account, contentDigest, segment } = owner;
      return { owner: { id: owner.id, caller, contentDigest, segment, account } };
    }
    const count = change(
      (one) => one.id === id && mayBeSettled(one),
      ({ fence }) => ({
        ...settlement,
        fence: fence + 1,
        updatedAt: at,
        matchFields: recheck?.matchFields ?? null,
        nextQueryAt: recheck?.at ?? null,
      }),
    );
    return count > 0 ? "settled" : "not_open";
  }

  return {
    ...accounts.methods,
    ...usage.methods,
    claim,
    withdraw(id) {
      const withdrawn = kept.filter((one) => one.id === id && isOpen(one));
      kept = kept.filter((one) => !withdrawn.includes(one));
      for (const one of withdrawn) usage.deleted(one, "notSent");
    },
    findByKey: (keyDigest) => kept.filter((one) => hasKey(one, keyDigest)).map(recordOf)[0] ?? null,
    settle: (settlement) => settleIf(settlement, isOpen, true),
    settleByQuery: (settlement, fence) =>
      settleIf(settlement, (one) => one.state === "outcome_unknown" && one.fence === fence),
    resolveManually(settlement, resolution) {
      const from = find(settlement.id)?.state ?? "in_flight";
      const settled = settleIf(settlement, ({ insurerId, state }) =>
        state === settlement.state
          ? insurerId !== null &&
            settlement.insurerId !== null &&
            insurerId !== settlement.insurerId
          : state !== "in_flight",
      );
      if (settled === "settled")
        resolve(settlement.id, settlement.at, resolution, { from, to: settlement.state });
      return settled;
    },
    correctFailed(settlement, resolution) {
      const settled = settleIf(settlement, ({ state }) => state === "failed", true);
      if (settled === "settled")
        resolve(settlement.id, settlement.at, resolution, { from: "failed", to: settlement.state });
      return settled;
    },
    recordLook(id, at, resolution) {
      const state = find(id)?.state;
      if (state !== undefined) resolve(id, at, resolution, { from: state, to: state });
    },
    markUnknown(id, moment, nextQueryAt, answeredId = null) {
      change(
        (one) => one.id === id && one.state === "in_flight",
        ({ fence }) => ({ ...becameUnknown(fence, moment, nextQueryAt), answeredId }),
      );
    },
    expireLeases: (before, moment) =>
      change(
        ({ leaseUntil, state }) => state === "in_flight" && leaseUntil < before,
        ({ fence }) => becameUnknown(fence, moment, moment.running),
      ),
    due(segment, at, limit, exceptAccounts) {
      const due = kept.filter(
        (one) =>
          (at !== "probe" || one.state === "outcome_unknown") &&
          one.segment === segment &&
          !exceptAccounts.includes(one.account) &&
          one.nextQueryAt !== null &&
          (at === "probe" || one.nextQueryAt <= at),
      );
      const ordered =
        at === "probe"
          ? due.toSorted((one, other) => (one.nextQueryAt ?? 0) - (other.nextQueryAt ?? 0))
          : due;
      return ordered.slice(0, limit).map(recordOf);
    },
    bringForward: (segment, at, account) =>
      change(
        (one) =>
          one.segment === segment &&
          (account === null || one.account === account) &&
          isPlannedAfter(one, at) &&
          (one.queriedAt === null || one.queriedAt < at - JUST_QUERIED_MS),
        () => ({ nextQueryAt: at }),
      ),
    bringForwardOne: (id, at, unless) =>
      change(
        (one) =>
          one.id === id &&
          isPlannedAfter(one, at) &&
          (one.queriedAt === null || one.queriedAt <= unless),
        () => ({ nextQueryAt: at }),
      ) > 0,
    reopen: (id, { at, running }) =>
      change(
        (one) => one.id === id && one.state === "needs_review" && one.searchDigest !== null,
        ({ fence }) => ({
          state: "outcome_unknown",
          fence: fence + 1,
          updatedAt: at,
          nextQueryAt: running,
        }),
      ) > 0,
    planNextQuery({ fence, id }, { at, running }, nextQueryAt, absentRunning = null) {
      change(
        (one) => isQueried(one, id, fence),
        ({ queries }) => ({
          state: nextQueryAt === null ? "needs_review" : "outcome_unknown",
          fence: fence + 1,
          queries: queries + 1,
          updatedAt: at,
          queriedAt: running,
          nextQueryAt,
          absentRunning,
        }),
      );
    },
    endRecheck({ fence, id }) {
      change(
        (one) => one.id === id && one.fence === fence && one.state === "failed",
        () => ({ matchFields: null, nextQueryAt: null }),
      );
    },
    delay({ fence, id }, at, nextQueryAt) {
      change(
        (one) => one.id === id && one.fence === fence && one.nextQueryAt !== null,
        () => ({ queriedAt: at, nextQueryAt }),
      );
    },
    find: (id) => kept.filter((one) => one.id === id).map(recordOf)[0] ?? null,
    list: (states, limit) =>
      kept
        .filter(({ state }) => states.includes(state))
        .toReversed()
        .slice(0, limit)
        .map((one) => ({ ...recordOf(one), answer: null, matchFields: null })),
    countUnknown: () => countOf(kept),
    resolutions: (id) => resolutions.get(id) ?? [],
    similarSubmissions: (submission, insurerIds) => competitorsIn(kept, submission, insurerIds),
    forget({ at, running }) {
      const dropped = change(
        ({ answer, answerUntil }) => answer !== null && answerUntil !== null && answerUntil < at,
        () => ({
          answer: null,
          keyId: null,
          answerUntil: null,
          matchFields: null,
          nextQueryAt: null,
        }),
      );
      const forgotten = kept.filter(({ forgetAt }) => forgetAt !== null && forgetAt < running);
      kept = kept.filter((one) => !forgotten.includes(one));
      for (const one of forgotten) {
        resolutions.delete(one.id);
        usage.deleted(one, one.state === "succeeded" ? "succeeded" : "failed");
      }
      return Math.max(dropped, forgotten.length);
    },
    encryptedWith: () => [
      ...new Set([
        ...kept.flatMap(({ keyId }) => (keyId === null ? [] : [keyId])),
        ...accounts.keyIds(),
      ]),
    ],
    secret: (name) => secrets.get(name) ?? null,
    putSecret(name, secret, instead) {
      const stored = secrets.get(name);
      if (stored === undefined || stored.keyId === instead) secrets.set(name, secret);
    },
  };
}
