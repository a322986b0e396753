import { beforeEach, expect, it } from "vitest";
import { type GatewayWithStore, startWithStore, submitUnstored } from "./gateway-with-store.ts";
import { resultOf, storeFailure } from "./other-processes.ts";

let gateway: GatewayWithStore;
beforeEach(async () => {
  gateway = await startWithStore();
});

it.each([
  ["at the current time", 0],
  ["at the time of the failure, if that time is later", 30_000],
])("the gateway dates the correction of a failed submission %s", async (_, aheadMs) => {
  const at = gateway.time.now() + aheadMs;
  gateway.replaceStoreMethods({
    async settle(settlement) {
      const failed = resultOf(settlement.id, gateway, { state: "failed", insurerId: null, at });
      await gateway.store.settle(failed);
      return gateway.store.settle(settlement);
    },
  });
  const { location } = await gateway.submit();
  const status = await gateway.ask(location ?? "");
  expect(await status.json()).toMatchObject({ updatedAt: new Date(at).toISOString() });
});

it("the store keeps a corrected submission as long as a submission that is concluded at the time of the correction", async () => {
  const settlement = await submitUnstored(gateway);
  await storeFailure(settlement, gateway);
  const { answerUntil, forgetAt, id } = settlement;
  gateway.time.forward(1_000);
  await gateway.time.tick();
  const partsLeft = async (at: number, running: number): Promise<readonly boolean[]> => {
    await gateway.store.forget({ at, running }, 500);
    const record = await gateway.store.find(id);
    return [record !== null, record?.answer != null];
  };
  expect(await partsLeft(answerUntil + 1_000, 0)).toEqual([true, true]);
  expect(await partsLeft(answerUntil + 1_001, 0)).toEqual([true, false]);
  expect(await partsLeft(0, forgetAt + 1_000)).toEqual([true, false]);
  expect(await partsLeft(0, forgetAt + 1_001)).toEqual([false, false]);
});
