import type { Adapter } from "@insurance-gateway/adapter";
import type { Endpoint } from "@insurance-gateway/core/contract";
import type { Refusal } from "@insurance-gateway/core/runtime";
import type { ConnectionTransport } from "@insurance-gateway/core/transport";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { type Behaviour, type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { adapter, attemptOnce, issuePolicy, type Step, steps } from "../harness/three-requests.ts";

/** Insurer of a submission with several requests, each of which succeeds unless the test sets another behaviour. */
export interface StepwiseInsurer {
  /** Makes one attempt; returns the status of the answer, or the refusal. */
  answerWith(
    given: Partial<Record<Step, Behaviour>>,
    speaking?: Adapter,
    endpoint?: Endpoint,
  ): Promise<number | Refusal>;
  /** Closes the connections of the last attempt. */
  disconnect(): Promise<void>;
  /** Returns how many connections of the last attempt are in use. */
  underWay(): number;
}

/** Starts the insurer for the tests of a file. */
export function stepwiseInsurer(): StepwiseInsurer {
  let insurer: Insurer | undefined;
  let current: ConnectionTransport | undefined;
  let behaviours: Partial<Record<Step, Behaviour>> = {};
  beforeAll(async () => {
    insurer = await startInsurer((response, arrival) => {
      const step = steps.find((path) => arrival.url.endsWith(path));
      const behave = (step && behaviours[step]) ?? json(200, {});
      behave(response, arrival);
    });
  });
  afterAll(() => insurer?.close());
  return {
    answerWith(given, speaking = adapter, endpoint = issuePolicy) {
      if (insurer === undefined) throw new TypeError("It has not been started");
      behaviours = given;
      return attemptOnce({
        adapter: speaking,
        endpoint,
        baseUrl: insurer.baseUrl,
        opened(transport) {
          current = transport;
          onTestFinished(() => transport.close());
        },
      });
    },
    disconnect: async () => current?.close(),
    underWay: () => current?.underWay() ?? 0,
  };
}
