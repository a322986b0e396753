import { expect, onTestFinished } from "vitest";
import { StoreUnavailableError } from "../../src/store/faults.ts";
import type { Settlement } from "../../src/store/record.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { createApplicationsInsurer } from "../harness/applications.ts";
import { openMemoryStore } from "../harness/direct-store.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { type Behaviour, type Insurer, json, startInsurer } from "../harness/insurer.ts";
import {
  newSendable,
  OUTCOME_UNKNOWN,
  type Reply,
  type Sendable,
  send,
} from "../harness/store-calls.ts";

/** A gateway with provider D, whose store and insurer the test can change. */
export interface GatewayWithStore extends GatewayInProcess {
  readonly insurer: Insurer;
  readonly time: HeldTime;
  /** The gateway's store without the replaced methods, as another process would use the store. */
  readonly store: SubmissionStore;
  /** Replaces methods of the gateway's store. Methods that were replaced before work as usual again. */
  replaceStoreMethods(methods: Partial<SubmissionStore>): void;
  /** Makes all replaced methods work as usual again. */
  restoreStore(): void;
  /** Sends a submission and reads the answer. Default: a new submission. */
  submit(sendable?: Sendable): Promise<Reply>;
  /** Returns the ids of the submissions that reached the insurer. */
  sent(): readonly string[];
  /** Returns the logged lines at the level of a warning or above, without their times. */
  warnings(): readonly Readonly<Record<string, unknown>>[];
}

/** Answers each application with a new identifier, and each search with an empty list. */
export function accepting(): Behaviour {
  const { execute } = createApplicationsInsurer();
  return (response, arrival) => {
    if (arrival.method !== "POST")
      return json(200, { items: [], start: 1, limit: 20, total: 0 })(response, arrival);
    const { body, status } = execute({ ...arrival, query: "" });
    json(status, body ?? "")(response, arrival);
  };
}

/** Starts the gateway and its insurer, which accepts every application. Both stop after the test. */
export async function startWithStore(segments = ["provider-d"]): Promise<GatewayWithStore> {
  const insurer = await startInsurer(accepting());
  onTestFinished(() => insurer.close());
  const configuration = {
    providers: segments.map((segment) => ({
      ...insurerConfiguration("d", insurer.baseUrl),
      segment,
    })),
  };
  const store = await openMemoryStore();
  const time = holdTime();
  // The store's running time begins at the clock's time.
  await store.countRunningTime(time.now(), Number.MAX_SAFE_INTEGER);
  let replaced: Partial<SubmissionStore> = {};
  const openStore = async (): Promise<SubmissionStore> =>
    new Proxy(store, {
      get: (_, name, receiver): unknown =>
        Reflect.get(Reflect.has(replaced, name) ? replaced : store, name, receiver),
    });
  const gateway = await startInProcess(configuration, {}, { time, openStore });
  let isEnded = false;
  const end = (): Promise<void> => {
    isEnded = true;
    return gateway.end();
  };
  onTestFinished(() => (isEnded ? undefined : end()));
  return {
    ...gateway,
    insurer,
    time,
    store,
    replaceStoreMethods(methods) {
      replaced = methods;
    },
    restoreStore() {
      replaced = {};
    },
    end,
    submit: (sendable = newSendable()) => send(gateway, sendable),
    sent: () =>
      insurer.arrivals
        .filter(({ method }) => method === "POST")
        .map(({ headers }) => String(headers["idempotency-key"])),
    warnings() {
      const timeless = gateway.log.map((line) => {
        const { time: _, ...rest } = JSON.parse(line) as Readonly<Record<string, unknown>>; // the logger writes objects
        return rest;
      });
      return timeless.filter(({ level }) => Number(level) >= 40);
    },
  };
}

/** The store is not available, and has written nothing. */
export const storeFull: StoreUnavailableError = new StoreUnavailableError("SQLITE_FULL", false);

/** Sends a submission whose result the gateway cannot store, and returns the result. */
export async function submitUnstored(gateway: GatewayWithStore): Promise<Settlement> {
  const unstored = Promise.withResolvers<Settlement>();
  gateway.replaceStoreMethods({
    settle(settlement) {
      unstored.resolve(settlement);
      return Promise.reject(storeFull);
    },
  });
  expect((await gateway.submit()).says).toBe(OUTCOME_UNKNOWN);
  gateway.restoreStore();
  return unstored.promise;
}
