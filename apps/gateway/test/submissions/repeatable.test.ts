import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { GatewayInProcess } from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { type Behaviour, type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import { startWithProvider } from "./installed-provider.ts";
import { REPEATABLE_PACKAGE } from "./repeatable-package.ts";

let gateway: GatewayInProcess;
let time: HeldTime;
let insurer: Insurer;
let behaviours: Behaviour[];
beforeAll(async () => {
  insurer = await startInsurer((response, arrival) => {
    const behave = behaviours.shift() ?? json(200, { policyId: "P-1" });
    behave(response, arrival);
  });
  time = holdTime();
  gateway = await startWithProvider(REPEATABLE_PACKAGE, insurer.baseUrl, { time });
});
beforeEach(() => {
  behaviours = [];
  insurer.arrivals.length = 0;
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

const reset: Behaviour = (response) => void response.socket?.destroy();

async function send(method: string, policy: string, colour: string): Promise<string> {
  const response = await fetch(`${gateway.address}/provider-m/policies/${policy}`, {
    method,
    headers: { authorization: `Bearer ${gateway.token}`, "content-type": "application/json" },
    body: JSON.stringify({ colour }),
  });
  return response.ok ? "done" : (await problemIn(response)).outcome;
}

it("is sent once more after an unknown outcome, with the same name", async () => {
  behaviours = [reset];
  expect(await send("PUT", "P-1", "red")).toBe("done");
  const [first, second] = insurer.arrivals;
  expect(second?.headers["idempotency-key"]).toBe(first?.headers["idempotency-key"]);
  expect(second?.body).toBe(first?.body);
  expect(insurer.arrivals).toHaveLength(2);
});

it("is unknown when the second time is not answered either, or is refused", async () => {
  behaviours = [reset, reset];
  expect(await send("PUT", "P-2", "red")).toBe("unknown");
  behaviours = [
    reset,
    json(422, { code: "PROVIDER_REJECTED" }, { "content-type": "application/problem+json" }),
  ];
  expect(await send("PUT", "P-3", "red")).toBe("unknown");
  expect(insurer.arrivals).toHaveLength(4);
});

it("is not sent again after a later submission to the same resource", async () => {
  const laterEnds = Promise.withResolvers<string>();
  behaviours = [
    (response) => {
      void send("PATCH", "P-4", "blue").then((outcome) => {
        response.socket?.destroy();
        laterEnds.resolve(outcome);
      });
    },
  ];
  expect(await send("PUT", "P-4", "red")).toBe("unknown");
  expect(await laterEnds.promise).toBe("done");
  expect(insurer.arrivals.map(({ method }) => method)).toEqual(["PUT", "PATCH"]);
});

it("is sent again after a later submission to another resource of the same path", async () => {
  behaviours = [
    (response) => {
      void send("PATCH", "P-7", "blue").then(() => response.socket?.destroy());
    },
  ];
  expect(await send("PUT", "P-6", "red")).toBe("done");
  expect(insurer.arrivals.map(({ method }) => method)).toEqual(["PUT", "PATCH", "PUT"]);
});

it("is not sent again where the endpoint does not say so", async () => {
  behaviours = [reset];
  expect(await send("PATCH", "P-5", "red")).toBe("unknown");
  expect(insurer.arrivals).toHaveLength(1);
});

it("is in flight for the time of both sendings, and the time to begin", async () => {
  const answered = Promise.withResolvers<void>();
  behaviours = [
    (...given) => void answered.promise.then(() => json(200, { policyId: "P-8" })(...given)),
  ];
  const arrived = insurer.nextArrival();
  const sent = send("PUT", "P-8", "red");
  const { headers } = await arrived;
  const stateNow = async (): Promise<unknown> => {
    const address = `${gateway.address}/submissions/${String(headers["idempotency-key"])}`;
    const response = await fetch(address, {
      headers: { authorization: `Bearer ${gateway.token}` },
    });
    return Reflect.get(Object(await response.json()), "state");
  };
  await time.pass(2 * 45_000 + 15_000 - 1);
  expect(await stateNow()).toBe("in_flight");
  await time.pass(1);
  expect(await stateNow()).toBe("outcome_unknown");
  answered.resolve();
  expect(await sent).toBe("done");
});
