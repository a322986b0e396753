import { expect, it } from "vitest";
import { StoreUnavailableError } from "../../src/store/faults.ts";
import { OUTCOME_UNKNOWN } from "../harness/store-calls.ts";
import { startWithStore } from "./gateway-with-store.ts";

const unavailable = new StoreUnavailableError("SQLITE_FULL", false);

it.each([
  ["the store is available again", null, undefined, "succeeded"],
  ["the store stays unavailable", unavailable, undefined, "in_flight"],
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
    let write = (): Promise<void> => Promise.reject(unavailable);
    gateway.change({
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
