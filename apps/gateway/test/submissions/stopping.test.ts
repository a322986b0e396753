import { expect, it } from "vitest";
import { applicationBody } from "../harness/applications.ts";
import { type Behaviour, problem } from "../harness/insurer.ts";
import { OUTCOME_UNKNOWN } from "../harness/store-calls.ts";
import { waitTurns } from "../harness/turns.ts";
import { accepting, startWithStore, storeFull } from "./gateway-with-store.ts";

it.each([
  ["the store is available again", null, undefined, "succeeded"],
  ["the store stays unavailable", storeFull, undefined, "in_flight"],
  [
    "a write fails because of a fault, which the gateway reports",
    new TypeError("a fault"),
    "TypeError: a fault",
    "in_flight",
  ],
])(
  "a stopping gateway repeats failed writes before it closes the store: %s",
  async (_, fault, result, state) => {
    const gateway = await startWithStore();
    const steps: string[] = [];
    let write = (): Promise<void> => Promise.reject(storeFull);
    gateway.replaceStoreMethods({
      async settle(settlement) {
        steps.push("settle");
        await write();
        return gateway.store.settle(settlement);
      },
      // The store stays open, because the test still reads the store.
      async close() {
        steps.push("close");
      },
    });
    expect((await gateway.submit()).says).toBe(OUTCOME_UNKNOWN);
    const begun = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    write = () => {
      begun.resolve();
      return written.promise;
    };
    const stopped = gateway.end().catch(String);
    await begun.promise;
    expect(steps).toEqual(["settle", "settle"]);
    if (fault === null) written.resolve();
    else written.reject(fault);
    expect(await stopped).toBe(result);
    expect(steps).toEqual(["settle", "settle", "close"]);
    expect((await gateway.store.find(gateway.sent()[0] ?? ""))?.state).toBe(state);
  },
);

it("a stopping gateway waits for all submissions in flight even if the insurer refuses one of the submissions", async () => {
  const gateway = await startWithStore();
  let isClosed = false;
  gateway.replaceStoreMethods({
    // The test still reads the store.
    async close() {
      isClosed = true;
    },
  });
  /** Sends a submission whose caller disconnects, and which the insurer answers when the test calls `answer`. */
  const begin = async (behaviour: Behaviour): Promise<{ id: string; answer: () => void }> => {
    const answered = Promise.withResolvers<void>();
    gateway.insurer.behaviour = (...parameters) =>
      void answered.promise.then(() => behaviour(...parameters));
    const arrival = gateway.insurer.nextArrival();
    const caller = new AbortController();
    const { signal } = caller;
    const submitted = gateway
      .ask("/provider-d/applications", { json: applicationBody(), signal })
      .catch(() => {});
    const { headers } = await arrival;
    caller.abort();
    await submitted;
    return { id: String(headers["idempotency-key"]), answer: answered.resolve };
  };
  const stateOf = async (id: string): Promise<unknown> => (await gateway.store.find(id))?.state;
  const refused = await begin(problem(422, "PROVIDER_REJECTED"));
  const accepted = await begin(accepting());
  const stopped = gateway.end();
  const isOpen = (): Promise<boolean> =>
    fetch(gateway.address).then(
      () => true,
      () => false,
    );
  await expect.poll(isOpen).toBe(false);
  // After 100 turns of the event loop, the stop of the gateway waits for the insurer.
  await waitTurns();
  refused.answer();
  await expect.poll(() => stateOf(refused.id)).toBe("failed");
  accepted.answer();
  await stopped;
  expect([await stateOf(accepted.id), isClosed]).toEqual(["succeeded", true]);
});
