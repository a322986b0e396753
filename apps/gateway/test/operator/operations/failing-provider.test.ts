import { afterEach, expect, it } from "vitest";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../../harness/gateway-in-process.ts";
import { type Insurer, json, startInsurer } from "../../harness/insurer.ts";

let gateway: GatewayInProcess;
let insurer: Insurer;
afterEach(async () => {
  await gateway.stop();
  await insurer.close();
});

/** Starts a gateway whose insurer answers only with status 500, and sends 12 calls. */
async function failTwelveTimes(breaker: object): Promise<void> {
  insurer = await startInsurer(json(500, {}));
  const provider = insurerConfiguration("a", insurer.baseUrl);
  gateway = await startInProcess({
    providers: [{ ...provider, breaker, retries: { attempts: 1 } }],
  });
  for (let count = 0; count < 12; count += 1) {
    const { status } = await gateway.ask("/provider-a/auto/brands");
    expect(status).toBeGreaterThanOrEqual(502);
  }
}

/** Returns the provider's entry in the operator's list and in a caller's list. */
async function seen(): Promise<readonly unknown[]> {
  const lists = await Promise.all([
    fetch(`${gateway.operationsAddress}/providers`),
    gateway.ask("/providers"),
  ]);
  return Promise.all(lists.map(async (list) => Object(await list.json()).items[0]));
}

it("a provider whose calls all fail has the state `degraded`, even after few calls", async () => {
  await failTwelveTimes({ failuresInRow: 1_000 });
  expect(await seen()).toMatchObject([
    { state: "degraded", reasons: ["failures"], calls: 12, refused: 0, errorRate: 1 },
    { state: "degraded" },
  ]);
});

it("a call that an open circuit breaker refuses counts as a failed call in the provider's state", async () => {
  await failTwelveTimes({ failuresInRow: 5 });
  expect(insurer.arrivals).toHaveLength(5);
  expect(await seen()).toMatchObject([
    { state: "down", reasons: ["breaker_open", "failures"], calls: 12, refused: 7, errorRate: 1 },
    { state: "down" },
  ]);
});
