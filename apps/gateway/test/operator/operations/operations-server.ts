import { Registry } from "prom-client";
import { createUsage } from "../../../src/accounts/usage/account-usage.ts";
import type {
  Observation,
  ObservedEndpoint,
  ObservedRequest,
  ProviderTraffic,
} from "../../../src/events.ts";
import { createMaintenancePlan } from "../../../src/insurers/resilience/maintenance.ts";
import { createLogger } from "../../../src/operator/logging/logger.ts";
import { createObservers, showState } from "../../../src/operator/observation/observe-gateway.ts";
import type { CountUnknown } from "../../../src/operator/observation/unknown-submissions.ts";
import {
  createOperations,
  type OperationsParts,
} from "../../../src/operator/operations/operations.ts";
import { type HeldTime, holdTime } from "../../harness/held-time.ts";

/** The operations server over HTTP, with traffic that the test determines. */
export interface OperationsServer {
  readonly address: string;
  /** The functions that a gateway would call for its events. */
  readonly observation: Observation;
  /** The current traffic, which the test can change. */
  traffic: readonly ProviderTraffic[];
  ready: boolean;
  countUnknown: CountUnknown;
  readonly time: HeldTime;
  /** The lines that the server has logged. */
  readonly log: readonly string[];
  get(path: string): Promise<Response>;
  close(): Promise<void>;
}

/** Starts the operations server, ready and without a provider. The server's clock does not advance. */
export async function startOperationsServer(
  more: Partial<OperationsParts> & { readonly processMetrics?: Registry } = {},
): Promise<OperationsServer> {
  const log: string[] = [];
  const time = holdTime();
  const { processMetrics = new Registry(), ...parts } = more;
  const logger = createLogger({ write: (line) => void log.push(line) });
  const observers = createObservers(processMetrics, () => time.now(), logger);
  const observed = showState(observers, {
    traffic: () => server.traffic,
    answerMemory: { held: () => 0, waiting: () => 0 },
    countUnknown: () => server.countUnknown(),
    storeState: () => "open",
    clockFaults: () => null,
    configuration: () => ({ isNewest: true, appliedAt: time.now() }),
    expiries: () => [],
    usage: createUsage({
      timeZone: "Europe/Athens",
      time,
      quotasOf: () => ({}),
      refused: () => {},
      isMaintained: () => false,
    }),
    maintenance: createMaintenancePlan(
      () => [],
      () => time.now(),
    ),
  });
  const operations = createOperations({
    ...observed,
    accounts: {
      token: () => null,
      administration() {
        throw new TypeError("no test asks for it");
      },
      guessed: () => {},
      verify: async () => null,
    },
    names: ["gateway.internal"],
    tls: null,
    recording: { examples: () => [] },
    isReady: () => server.ready,
    logger,
    ...parts,
  });
  const address = await operations.listen({ host: "127.0.0.1", port: 0 });
  const server: OperationsServer = {
    address,
    observation: observed.observation,
    traffic: [],
    ready: true,
    countUnknown: async () => new Map(),
    time,
    log,
    get: (path) => fetch(address + path),
    close: () => operations.close(),
  };
  return server;
}

/** Returns the traffic of a provider whose insurer works and is idle, with the given changes. */
export function trafficOf(segment: string, more: Partial<ProviderTraffic> = {}): ProviderTraffic {
  return {
    segment,
    provider: segment,
    sandbox: false,
    breaker: "closed",
    running: 0,
    queued: 0,
    awaitingToken: 0,
    tokenAgeMs: null,
    refusedAccounts: [],
    ...more,
  };
}

/** Returns an endpoint as events describe it. */
export function endpointOf(
  segment: string,
  endpoint = "listBrands",
  kind: ObservedEndpoint["kind"] = "lookup",
): ObservedEndpoint {
  return { segment, endpoint, kind };
}

/** Returns a successful request of 12 ms, of which the insurer took 10 ms, with the given changes. */
export function requestOf(
  endpoint: ObservedEndpoint | null,
  more: Partial<ObservedRequest> = {},
): ObservedRequest {
  return {
    endpoint,
    account: null,
    status: 200,
    code: null,
    outcome: null,
    callerGone: false,
    durationMs: 12,
    insurerMs: 10,
    ownMs: 2,
    ...more,
  };
}
