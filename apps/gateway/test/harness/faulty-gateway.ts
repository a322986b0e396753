import type { SandboxRecord } from "@insurance-gateway/adapter/sandbox";
import { type FaultInjectingInsurer, startFaultInjectingInsurer } from "@insurance-gateway/testkit";
import type { Environment } from "../../src/configuration/load.ts";
import { createApplicationsInsurer } from "./applications.ts";
import {
  type GatewayInProcess,
  type InProcessOptions,
  insurerConfiguration,
  startInProcess,
} from "./gateway-in-process.ts";
import { type HeldTime, holdTime } from "./held-time.ts";

/** A gateway with provider D, whose insurer fails as the test determines. The gateway's clock does not advance. */
export interface FaultyGateway extends GatewayInProcess {
  readonly insurer: FaultInjectingInsurer;
  /** The applications that the insurer has executed. */
  readonly records: readonly SandboxRecord[];
  readonly time: HeldTime;
  /** Makes the insurer execute submissions without an answer until the test calls the returned function. */
  holdAnswers(): () => void;
  /** Starts another gateway with the same folder and insurer. The first gateway must have stopped. */
  again(more?: object, environment?: Environment): Promise<GatewayInProcess>;
}

/** Settings that allow one attempt per call and switch off the circuit breaker. */
const once = {
  retries: { attempts: 1 },
  breaker: { failuresInRow: 10_000, minCalls: 10_000 },
};

/** Starts the gateway and the insurer. */
export async function startFaultyGateway(
  more: object = {},
  environment: Environment = {},
  submissionMs = 1_000,
): Promise<FaultyGateway> {
  const timeouts = { connectMs: 1_000, totalMs: 1_000, submissionMs };
  const time = holdTime();
  const { execute, records } = createApplicationsInsurer(() => new Date(time.now()));
  let gate: Promise<void> | undefined;
  const insurer = await startFaultInjectingInsurer({
    async execute(arrival) {
      const answer = execute(arrival);
      if (arrival.method === "POST") await gate;
      return answer;
    },
  });
  const start = (
    changed: object,
    variables: Environment,
    options: InProcessOptions,
  ): Promise<GatewayInProcess> => {
    const provider = { ...insurerConfiguration("d", insurer.baseUrl), timeouts, ...once };
    return startInProcess({ providers: [provider], ...changed }, variables, options);
  };
  const gateway = await start(more, environment, { time });
  return {
    ...gateway,
    insurer,
    records,
    time,
    holdAnswers() {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
    again: (changed = more, variables = environment) =>
      start(changed, variables, { time, folder: gateway.folder }),
    async stop() {
      await gateway.stop();
      await insurer.close();
    },
  };
}
