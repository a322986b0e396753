import {
  INTERNAL_ERROR_DETAIL,
  type KeyLookup,
  keyStateUnknown,
  kindPolicies,
  noEndpoint,
  noSubmission,
  notInRestoredStore,
  otherAccount,
  Refusal,
  type StatusAnswer,
  statusOf,
  submissionAddress,
  unclaimedRefusal,
} from "@insurance-gateway/core/runtime";
import type { Tenants } from "../accounts/tenants.ts";
import type { Caller } from "../callers/caller.ts";
import { requiredScope, requireScope } from "../callers/permit.ts";
import type { UpstreamAnswer } from "../insurers/answers/upstream-answer.ts";
import type { ProviderRoute } from "../routing/route.ts";
import { isOfSameAccount } from "../store/claim.ts";
import { StoreUnavailableError } from "../store/faults.ts";
import type { SubmissionRecord } from "../store/record.ts";
import { storeUnavailableRefusal } from "../store/unavailable.ts";
import { answerEarlier, storedAnswerOf } from "./answers.ts";
import type { KeysInProgress } from "./keys-in-progress.ts";
import type { RunWithRoutes } from "./query-result.ts";
import type { SubmitParts } from "./submission.ts";
import { keyDigestOf } from "./submit.ts";

/** The gateway's functions that report the states of stored submissions. */
export interface SubmissionStates {
  /** Returns the state of a submission to the submission's caller; throws a Refusal for another caller. */
  status(caller: Caller, id: string): Promise<StatusAnswer>;
  /**
   * Returns the state of the submission to which a caller's key belongs.
   * @throws Refusal SUBMISSION_NOT_FOUND if no submission has the key, which proves that nothing was sent with the key
   */
  statusByKey(caller: Caller, asked: KeyLookup): Promise<StatusAnswer>;
  /**
   * Answers a request with a key that the gateway refused before a claim. If the key belongs to an earlier submission,
   * the answer has the state and the outcome of the earlier submission, not of the request.
   */
  refused(refusal: Refusal, request: RefusedRequest): Promise<UpstreamAnswer | Refusal>;
  /** Returns the number of submissions of unknown outcome at each segment; throws StoreUnavailableError. */
  countUnknown(): Promise<ReadonlyMap<string, number>>;
}

/** A refused request that has a key. */
export interface RefusedRequest {
  readonly route: ProviderRoute;
  readonly caller: Caller;
  /** The id of the caller's account. */
  readonly account: string;
  readonly key: string;
}

/**
 * Creates the functions that report the states of stored submissions.
 * @param keys - keys of the submissions that this process claims or sends
 */
export function createSubmissionStates(
  { requestQuery, basePath, clock, encryption, identity, store }: SubmitParts,
  tenants: Pick<Tenants, "owns">,
  keys: Pick<KeysInProgress, "has">,
  withRoutes: RunWithRoutes,
): SubmissionStates {
  /** Returns the state of a submission to the submission's caller. */
  async function shownTo(
    caller: Caller,
    find: () => Promise<SubmissionRecord | null>,
    ofOtherAccount: () => Refusal,
  ): Promise<StatusAnswer> {
    try {
      const record = await find();
      if (record === null || !Buffer.from(record.caller).equals(identity.caller(caller)))
        throw (await store.mark()) === "restored" ? notInRestoredStore() : noSubmission();
      // A caller may act for several tenants. No tenant may see another tenant's submission.
      if (!tenants.owns(caller, record.account)) throw ofOtherAccount();
      requireScope(caller, requiredScope(record.segment, "submission"));
      requestQuery(record);
      return statusOf(record, clock.now(), storedAnswerOf(record, encryption));
    } catch (error) {
      if (error instanceof Refusal) throw error;
      if (error instanceof StoreUnavailableError) throw storeUnavailableRefusal(error);
      // With the problem's usual outcome `not_sent`, a caller could believe that the submission was not sent.
      throw new Refusal(
        "INTERNAL_ERROR",
        { detail: INTERNAL_ERROR_DETAIL, outcome: "unknown" },
        error,
      );
    }
  }

  return {
    status: (caller, id) =>
      shownTo(caller, async () => (isUuid(id) ? store.find(id) : null), noSubmission),
    async statusByKey(caller, { endpoint, key, segment }) {
      const route = await withRoutes(async (routes) =>
        submissionRouteOf(routes, segment, endpoint),
      );
      if (route === undefined) throw noEndpoint();
      requireScope(caller, route.scope);
      const find = async (): Promise<SubmissionRecord | null> => {
        const record = await store.findByKey(keyDigestOf(identity, route, caller, key));
        // This process may be claiming a submission with the requested key.
        if (record === null && keys.has({ route, caller, key })) throw unclaimedRefusal();
        return record;
      };
      // With the status 404, a caller would believe that nothing was sent with the key.
      return shownTo(caller, find, () => otherAccount("unknown"));
    },
    async refused(refusal, request) {
      const { caller, account, key, route } = request;
      const { endpoint } = route;
      const digest = keyDigestOf(identity, route, caller, key);
      try {
        const record = await store.findByKey(digest);
        if (record === null) {
          const isUnknown = keys.has(request) || (await store.mark()) === "restored";
          return isUnknown ? keyStateUnknown(refusal) : refusal;
        }
        if (!isOfSameAccount(record, { segment: route.segment, account }))
          return otherAccount("unknown");
        requestQuery(record);
        const href = submissionAddress(basePath, record.id);
        const facts = { endpoint, href, running: clock.now().running };
        return answerEarlier(record, "same_key", facts, encryption);
      } catch (error) {
        if (error instanceof Refusal) return error;
        if (error instanceof StoreUnavailableError) return keyStateUnknown(refusal);
        throw error;
      }
    },
    async countUnknown() {
      const counts = await store.countUnknown();
      return new Map(counts.map(({ count, segment }) => [segment, count]));
    },
  };
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

/** Returns the route of a submission endpoint by segment, and by its name or by its method and path. */
function submissionRouteOf(
  routes: readonly ProviderRoute[],
  segment: string,
  endpoint: string,
): ProviderRoute | undefined {
  return routes.find((route) => {
    const { kind, method, path } = route.endpoint;
    return (
      route.segment === segment &&
      kindPolicies[kind].actsAtInsurer &&
      (route.name === endpoint || `${method} ${path}` === endpoint)
    );
  });
}
