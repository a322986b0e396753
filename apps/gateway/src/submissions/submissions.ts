import { kindPolicies, standingOf } from "@insurance-gateway/core/runtime";
import type { Accounts } from "../accounts/accounts.ts";
import type { Tenants } from "../accounts/tenants.ts";
import type { Usage } from "../accounts/usage/account-usage.ts";
import type { Caller } from "../callers/caller.ts";
import type { Configuration } from "../configuration/load.ts";
import { retentionOf } from "../configuration/submission-store.ts";
import type { Observation } from "../events.ts";
import type { UpstreamAnswer } from "../insurers/answers/upstream-answer.ts";
import type { MaintenancePlan } from "../insurers/resilience/maintenance.ts";
import type { Logger } from "../operator/logging/logger.ts";
import type { ProviderRoute } from "../routing/route.ts";
import { createScheduler } from "../scheduled-tasks.ts";
import type { Encryption } from "../store/encryption.ts";
import { StoreUnavailableError } from "../store/faults.ts";
import type { SubmissionRecord } from "../store/record.ts";
import type { StoreState, SubmissionStore } from "../store/store.ts";
import type { Time } from "../time.ts";
import type { SubmissionDigests } from "./identity.ts";
import { createKeyCounter } from "./keys-in-progress.ts";
import type { FindEndpoint, RunWithRoutes } from "./query-result.ts";
import { createReconcile } from "./reconcile.ts";
import { createRecorder } from "./recorder.ts";
import { type Schedule, startSchedule } from "./schedule.ts";
import type { ClockFaults, StoreClock } from "./store-clock.ts";
import type { SubmitParts } from "./submission.ts";
import { createSubmissionStates, type SubmissionStates } from "./submission-states.ts";
import { startSubmissionTasks, watchStore } from "./submission-tasks.ts";
import { createSubmit, type Submit } from "./submit.ts";
import { faultsOfUnservedSegments, reportUnserved } from "./unserved-segments.ts";

/** The gateway's functions that concern submissions. */
export interface Submissions extends SubmissionStates {
  submit(...parameters: Parameters<Submit>): Promise<UpstreamAnswer>;
  /** Returns the caller's pseudonym for the log; null while the store cannot be reached. */
  pseudonym(caller: Caller): string | null;
  /** Records that an insurer answers again, or that the insurer accepts an account's credentials again. */
  insurerRecovered(segment: string, account: string | null): void;
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
  // The gateway first writes to the store, because the start must fail if the store fails.
  for (const segment of segments) await store.bringForward(segment, clock.now().running, null);
  await reportUnserved(store, segments, logger);
  const watch = watchStore(store, logger);
  await watch.look();
  const recorder = createRecorder(store, logger, clock);
  const requestQuery = (record: SubmissionRecord): void => {
    if (standingOf(record, clock.now().running).state === "outcome_unknown")
      schedule.requestQuery(record.id);
  };
  const submitParts: SubmitParts = {
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
  const taskParts = { ...submitParts, stopping: stopping.signal };
  const stopTasks = startSubmissionTasks({ ...taskParts, watch }, every);
  const stopAccounts = every("accounts", ACCOUNTS_READ_INTERVAL_MS, () => accounts.refresh());
  const schedule: Schedule = startSchedule({
    ...taskParts,
    time,
    every,
    reconcile: (record, way) =>
      withRoutes((routes) => {
        const findEndpoint: FindEndpoint = (...names) => routeOfEndpoint(routes, ...names);
        return createReconcile({ ...taskParts, findEndpoint })(record, way);
      }),
    segments,
    queriesPerSecond,
    isMaintained: (segment) => maintenance.current(segment) !== null,
  });
  const submit = createSubmit(submitParts);
  const stopUsage = usage.useStore(store, () => clock.now().at);
  const unfinished = new Set<Promise<unknown>>();
  const keysInProgress = createKeyCounter();
  return {
    ...createSubmissionStates(submitParts, tenants, keysInProgress, withRoutes),
    submit(route, call) {
      const { caller, key } = call;
      const endKey =
        key === null ? () => {} : keysInProgress.begin({ route, caller, key: key.key });
      const { answer, ended } = submit(route, call);
      const end = (): void => {
        unfinished.delete(ended);
        endKey();
      };
      unfinished.add(ended);
      ended.then(end, end);
      return answer;
    },
    pseudonym: (caller) => identity.pseudonym(caller),
    insurerRecovered: (segment, account) => schedule.insurerRecovered(segment, account),
    clockFaults: () => clock.faults(),
    faultsWithout: (missing) => faultsOfUnservedSegments(store, missing),
    storeState: () => watch.state(),
    async stop() {
      await Promise.allSettled(unfinished);
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

/** Returns the route of an endpoint by segment and name. */
function routeOfEndpoint(
  routes: readonly ProviderRoute[],
  segment: string,
  name: string,
): ProviderRoute | undefined {
  return routes.find((route) => route.segment === segment && route.name === name);
}

/** Returns the segments of the routes that have a submission endpoint. */
export function submissionSegments(routes: readonly ProviderRoute[]): readonly string[] {
  const segments = routes.flatMap((route) =>
    kindPolicies[route.endpoint.kind].actsAtInsurer ? [route.segment] : [],
  );
  return [...new Set(segments)];
}
