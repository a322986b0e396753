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
  standingOf,
  statusOf,
  submissionAddress,
  unclaimedRefusal,
} from "@insurance-gateway/core/runtime";
import type { Accounts } from "../accounts/accounts.ts";
import type { Tenants } from "../accounts/tenants.ts";
import type { Usage } from "../accounts/usage/account-usage.ts";
import type { Caller } from "../callers/caller.ts";
import { requiredScope, requireScope } from "../callers/permit.ts";
import type { Configuration } from "../configuration/load.ts";
import { retentionOf } from "../configuration/submission-store.ts";
import type { Observation } from "../events.ts";
import type { UpstreamAnswer } from "../insurers/answers/upstream-answer.ts";
import type { MaintenancePlan } from "../insurers/resilience/maintenance.ts";
import type { Logger } from "../operator/logging/logger.ts";
import type { ProviderRoute } from "../routing/route.ts";
import { createScheduler } from "../scheduled-tasks.ts";
import { isOfSameAccount } from "../store/claim.ts";
import type { Encryption } from "../store/encryption.ts";
import { StoreUnavailableError } from "../store/faults.ts";
import type { SubmissionRecord } from "../store/record.ts";
import type { StoreState, SubmissionStore } from "../store/store.ts";
import { storeUnavailableRefusal } from "../store/unavailable.ts";
import type { Time } from "../time.ts";
import { answerEarlier, storedAnswerOf } from "./answers.ts";
import type { SubmissionDigests } from "./identity.ts";
import type { FindEndpoint } from "./query-result.ts";
import { createReconcile } from "./reconcile.ts";
import { createRecorder } from "./recorder.ts";
import { type Schedule, startSchedule } from "./schedule.ts";
import type { ClockFaults, StoreClock } from "./store-clock.ts";
import type { SubmitParts } from "./submission.ts";
import { startSubmissionTasks, watchStore } from "./submission-tasks.ts";
import { createSubmit, keyDigestOf, type Submit } from "./submit.ts";
import { faultsOfUnservedSegments, reportUnserved } from "./unserved-segments.ts";

/** The gateway's functions that concern submissions. */
export interface Submissions {
  submit(...parameters: Parameters<Submit>): Promise<UpstreamAnswer>;
  /** Returns the state of a submission to the submission's caller; throws a Refusal for another caller. */
  status(caller: Caller, id: string): Promise<StatusAnswer>;
  /**
   * Returns the state of the submission to which a caller's key belongs.
   * @throws Refusal SUBMISSION_NOT_FOUND if no submission has the key, so that nothing was sent with the key
   */
  statusByKey(caller: Caller, asked: KeyLookup): Promise<StatusAnswer>;
  /**
   * Answers a request with a key that the gateway refused before a claim. If the key belongs to an earlier submission,
   * the answer has the state and the outcome of the earlier submission, not of the request.
   */
  refused(refusal: Refusal, request: RefusedRequest): Promise<UpstreamAnswer | Refusal>;
  /** Returns the caller's pseudonym for the log; null while the store cannot be reached. */
  pseudonym(caller: Caller): string | null;
  /** Records that an insurer answers again, or that the insurer accepts an account's credentials again. */
  insurerRecovered(segment: string, account: string | null): void;
  /** Returns the number of submissions of unknown outcome at each segment; throws StoreUnavailableError. */
  countUnknown(): Promise<ReadonlyMap<string, number>>;
  storeState(): StoreState;
  /** Returns the errors of the clocks; null before the store is open. */
  clockFaults(): ClockFaults | null;
  /**
   * Returns the faults of a configuration that lacks these segments: for each segment with open submissions, a fault
   * that lists the submissions.
   */
  faultsWithout(segments: readonly string[]): Promise<readonly string[]>;
  /** Completes the submissions in flight, even if their callers have disconnected, and then closes the store. */
  stop(): Promise<void>;
}

/** A refused request that has a key. */
export interface RefusedRequest {
  readonly route: ProviderRoute;
  readonly caller: Caller;
  /** The id of the caller's account. */
  readonly account: string;
  readonly key: string;
}

/** Function that runs work with the current routes, which stay usable until the work ends. */
export type RunWithRoutes = <T>(
  work: (routes: readonly ProviderRoute[]) => Promise<T>,
) => Promise<T>;

/** The parts of the gateway that are needed to open submissions. */
export interface SubmissionsParts {
  readonly configuration: Configuration;
  readonly openStore: () => Promise<SubmissionStore>;
  readonly encryption: Encryption;
  /** Path segments of the providers that have submission endpoints. */
  readonly segments: readonly string[];
  /** Runs work with the current routes of the gateway. */
  readonly withRoutes: RunWithRoutes;
  /** Returns the maximum of reconciliation queries per second to one insurer, as currently configured. */
  readonly queriesPerSecond: () => number;
  readonly tenants: Pick<Tenants, "owns">;
  readonly accounts: Pick<Accounts, "has" | "opened" | "refresh">;
  readonly maintenance: Pick<MaintenancePlan, "current">;
  readonly usage: Pick<Usage, "days" | "quotas" | "useStore">;
  readonly observation: Pick<Observation, "answerMismatched">;
  readonly time: Time;
  readonly logger: Logger;
}

/** Interval in which a process reads the accounts that another process or a command changed, in milliseconds. */
const ACCOUNTS_READ_INTERVAL_MS = 1_000;

/** Starts the submissions of an open store. Throws StoreUnavailableError before anything is started. */
export async function startSubmissions(
  {
    configuration,
    accounts,
    encryption,
    logger,
    maintenance,
    observation,
    queriesPerSecond,
    segments,
    tenants,
    time,
    usage,
    withRoutes,
  }: SubmissionsParts,
  store: SubmissionStore,
  identity: SubmissionDigests,
  clock: StoreClock,
): Promise<Submissions> {
  // The store is written before anything else is started, because the start must fail if the store fails.
  for (const segment of segments) await store.bringForward(segment, clock.now().running, null);
  await reportUnserved(store, segments, logger);
  const watch = watchStore(store, logger);
  await watch.look();
  const recorder = createRecorder(store, logger, clock);
  const requestQuery = (record: SubmissionRecord): void => {
    if (standingOf(record, clock.now().running).state === "outcome_unknown")
      schedule.requestQuery(record.id);
  };
  const common: SubmitParts = {
    requestQuery,
    store,
    recorder,
    identity,
    encryption,
    retention: retentionOf(configuration),
    basePath: configuration.listen.basePath,
    quotas: usage.quotas,
    days: usage.days,
    observation,
    time,
    clock,
    logger,
  };
  const stopping = new AbortController();
  const every = createScheduler({ logger, time });
  const underWay = { ...common, stopping: stopping.signal };
  const stopTasks = startSubmissionTasks({ ...underWay, watch }, every);
  const stopAccounts = every("accounts", ACCOUNTS_READ_INTERVAL_MS, () => accounts.refresh());
  const schedule: Schedule = startSchedule({
    ...underWay,
    time,
    every,
    reconcile: (record, way) =>
      withRoutes((routes) => {
        const findEndpoint: FindEndpoint = (...names) => routeOfEndpoint(routes, ...names);
        return createReconcile({ ...underWay, findEndpoint })(record, way);
      }),
    segments,
    queriesPerSecond,
    isMaintained: (segment) => maintenance.current(segment) !== null,
  });
  const submit = createSubmit(common);
  const stopUsage = usage.useStore(store, () => clock.now().at);
  const sending = new Set<Promise<unknown>>();
  const keys = createKeyCounter();
  return {
    ...createStoreMethods(common, tenants, keys, withRoutes),
    submit(route, call) {
      const { caller, key } = call;
      const endKey = key === null ? () => {} : keys.begin({ route, caller, key: key.key });
      const { answer, ended } = submit(route, call);
      const end = (): void => {
        sending.delete(ended);
        endKey();
      };
      sending.add(ended);
      ended.then(end, end);
      return answer;
    },
    insurerRecovered: (segment, account) => schedule.insurerRecovered(segment, account),
    clockFaults: () => clock.faults(),
    faultsWithout: (missing) => faultsOfUnservedSegments(store, missing),
    storeState: () => watch.state(),
    async stop() {
      await Promise.allSettled(sending);
      stopping.abort();
      await schedule.stop();
      await stopAccounts();
      await stopTasks();
      try {
        await recorder.retry().catch((error: unknown) => {
          if (!(error instanceof StoreUnavailableError)) throw error;
        });
        await stopUsage();
      } finally {
        await store.close();
      }
    },
  };
}

/** An idempotency key and its scope: caller, provider and endpoint. */
type ScopedKey = Pick<RefusedRequest, "caller" | "key" | "route">;

/** The keys of the submissions in progress. */
type KeysInProgress = ReturnType<typeof createKeyCounter>;

/** Counts requests by key. A key is in progress until the last of the key's simultaneous requests has ended. */
function createKeyCounter() {
  const counts = new Map<string, number>();
  const textOf = ({ caller, key, route }: ScopedKey): string =>
    JSON.stringify([caller.issuer, caller.subject, route.endpoint.provider, route.name, key]);
  return {
    /** Adds the key of a submission. Returns a function that removes the key. */
    begin(key: ScopedKey): () => void {
      const text = textOf(key);
      counts.set(text, (counts.get(text) ?? 0) + 1);
      return () => {
        const left = (counts.get(text) ?? 0) - 1;
        if (left > 0) counts.set(text, left);
        else counts.delete(text);
      };
    },
    has: (key: ScopedKey): boolean => counts.has(textOf(key)),
  };
}

/**
 * Returns the methods of `Submissions` that only read and write the store.
 * @param keys - keys of the submissions that this process claims or sends
 */
function createStoreMethods(
  { requestQuery, basePath, clock, encryption, identity, store }: SubmitParts,
  tenants: Pick<Tenants, "owns">,
  keys: Pick<KeysInProgress, "has">,
  withRoutes: RunWithRoutes,
): Pick<Submissions, "status" | "statusByKey" | "refused" | "pseudonym" | "countUnknown"> {
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
    pseudonym: (caller) => identity.pseudonym(caller),
    async countUnknown() {
      const counts = await store.countUnknown();
      return new Map(counts.map(({ count, segment }) => [segment, count]));
    },
  };
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

/** Returns the route of an endpoint by segment and name. */
function routeOfEndpoint(
  routes: readonly ProviderRoute[],
  segment: string,
  name: string,
): ProviderRoute | undefined {
  return routes.find((route) => route.segment === segment && route.name === name);
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

/** Returns the segments of the routes that have a submission endpoint. */
export function submissionSegments(routes: readonly ProviderRoute[]): readonly string[] {
  const segments = routes.flatMap((route) =>
    kindPolicies[route.endpoint.kind].actsAtInsurer ? [route.segment] : [],
  );
  return [...new Set(segments)];
}
