import { expect } from "vitest";
import type { Settlement } from "../../src/store/record.ts";
import { NEVER, ONCE, sampleSettlement, sampleSubmission } from "../harness/store-samples.ts";
import type { GatewayWithStore } from "./gateway-with-store.ts";

/** Changes the store as another process would, before the gateway stores the result in `settlement`. */
export type Change = (settlement: Settlement, gateway: GatewayWithStore) => Promise<unknown>;

/** Returns a result that another process stores for a submission. */
export function resultOf(
  id: string,
  { time }: GatewayWithStore,
  more: Partial<Settlement>,
): Settlement {
  const at = time.now() - 1;
  const until = at + 3_600_000;
  return sampleSettlement(id, { at, answerUntil: until, forgetAt: until, ...more });
}

export const storeSuccess: Change = ({ id }, gateway) =>
  gateway.store.settle(resultOf(id, gateway, { insurerId: "D-other" }));
export const storeFailure: Change = ({ id }, gateway) =>
  gateway.store.settle(resultOf(id, gateway, { state: "failed", insurerId: null }));
export const withdraw: Change = ({ id }, { store }) => store.withdraw(id);

/** Loses the submission, and stores another submission with the same caller and content, or with the same key. */
export const replaceBySame =
  (same: "content" | "key"): Change =>
  async ({ id }, { store }) => {
    const { caller, contentDigest, keyDigest } = (await store.find(id)) ?? expect.fail("not found");
    await store.withdraw(id);
    const other = same === "key" ? { keyDigest } : { caller, contentDigest };
    await store.claim(sampleSubmission(other), ONCE);
  };

/** Stores another submission of the same account with the identifier in the insurer's answer. */
export const storeIdentifierElsewhere: Change = async ({ insurerId }, gateway) => {
  const other = sampleSubmission({ segment: "provider-d" });
  await gateway.store.claim(other, ONCE);
  await gateway.store.settle(resultOf(other.id, gateway, { insurerId }));
};

export const withdrawAndStoreElsewhere: Change = async (...given) => {
  await withdraw(...given);
  await storeIdentifierElsewhere(...given);
};

/**
 * Stores an equal submission with the identifier in the insurer's answer. Stores a success of the submission just
 * before the gateway stores the next result.
 */
export const storeEqualThenSuccess: Change = async ({ answer, id, insurerId, keyId }, gateway) => {
  const { store } = gateway;
  const { caller, contentDigest } = (await store.find(id)) ?? expect.fail("not found");
  const equal = sampleSubmission({ segment: "provider-d", caller, contentDigest });
  await store.claim(equal, NEVER);
  await store.settle(resultOf(equal.id, gateway, { insurerId }));
  gateway.replaceStoreMethods({
    async settle(settlement) {
      await store.settle(resultOf(id, gateway, { insurerId: "D-other", answer, keyId }));
      return store.settle(settlement);
    },
  });
};

/** Stores a failure, which an operator corrects just before the gateway does. */
export const storeFailureAndCorrect: Change = async (settled, gateway) => {
  await storeFailure(settled, gateway);
  gateway.replaceStoreMethods({
    async correctFailed(settlement, ...by) {
      const operator = { by: "operator", reason: "the insurer shows D-own" };
      await gateway.store.resolveManually({ ...settlement, insurerId: "D-own" }, operator);
      return gateway.store.correctFailed(settlement, ...by);
    },
  });
};

export const storeSame: Change = (settlement, { store }) => store.settle(settlement);
export const storeSameEarlier: Change = ({ id, insurerId }, gateway) =>
  gateway.store.settle(resultOf(id, gateway, { insurerId }));
