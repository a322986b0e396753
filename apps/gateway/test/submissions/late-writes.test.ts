import { beforeEach, expect, it } from "vitest";
import { StoreUnavailableError } from "../../src/store/faults.ts";
import { type Behaviour, problem } from "../harness/insurer.ts";
import {
  accepting,
  type GatewayWithStore,
  startWithStore,
  storeFull,
} from "./gateway-with-store.ts";

const lost = new StoreUnavailableError("ECONNRESET", true);
const ownFault = new TypeError("a fault of our own");

let gateway: GatewayWithStore;
/** Ids of the submissions that the gateway tried to write. */
let tried: string[];
beforeEach(async () => {
  gateway = await startWithStore();
  tried = [];
});

/** Makes every write after a submission's claim fail with `fault`, or succeed if `fault` is null. */
function failWrites(fault: Error | null): void {
  const { store } = gateway;
  const attempt = (id: string): void => {
    tried.push(id);
    if (fault !== null) throw fault;
  };
  gateway.replaceStoreMethods({
    async settle(settlement) {
      attempt(settlement.id);
      return store.settle(settlement);
    },
    async withdraw(id) {
      attempt(id);
      return store.withdraw(id);
    },
    async markUnknown(id, ...parameters) {
      attempt(id);
      return store.markUnknown(id, ...parameters);
    },
  });
}

interface Write {
  readonly write: string;
  readonly insurer: () => Behaviour;
  /** Returns what the store contains of a submission that ended at this time. */
  readonly stored: (at: number) => unknown;
}
const writes: readonly Write[] = [
  {
    write: "a success",
    insurer: accepting,
    stored: (at) =>
      expect.objectContaining({ state: "succeeded", insurerId: "D-000001", updatedAt: at }),
  },
  {
    write: "a refusal",
    insurer: () => problem(422, "PROVIDER_REJECTED"),
    stored: (at) => expect.objectContaining({ state: "failed", insurerId: null, updatedAt: at }),
  },
  {
    write: "a refusal that frees the key",
    insurer: () => problem(429, "RATE_LIMITED"),
    stored: () => null,
  },
  {
    write: "an unknown outcome",
    insurer: () => (response) => void response.destroy(),
    stored: (at) =>
      expect.objectContaining({
        state: "outcome_unknown",
        updatedAt: at,
        unknownAt: at,
        nextQueryAt: at + 2_000,
      }),
  },
];

it.each(writes)(
  "the gateway logs a failed write, and repeats the write once with the same times when the store is available again: $write",
  async ({ insurer, stored }) => {
    gateway.insurer.behaviour = insurer();
    failWrites(storeFull);
    await gateway.submit();
    const endedAt = gateway.time.now();
    const [submissionId = ""] = gateway.sent();
    const unavailable = { submissionId, detail: "SQLITE_FULL", msg: "the store is not available" };
    expect(gateway.warnings()).toContainEqual({ level: 50, ...unavailable });
    gateway.time.forward(1_000);
    await gateway.time.tick();
    failWrites(null);
    await gateway.time.tick();
    expect(await gateway.store.find(submissionId)).toEqual(stored(endedAt));
    await gateway.time.tick();
    expect(tried).toEqual([submissionId, submissionId, submissionId]);
  },
);

it.each(writes)(
  "the gateway does not repeat a write that fails for another reason than an unavailable store: $write",
  async ({ insurer }) => {
    gateway.insurer.behaviour = insurer();
    failWrites(ownFault);
    await gateway.submit();
    await gateway.time.tick();
    expect(tried).toEqual(gateway.sent());
    expect(gateway.warnings().map(({ msg }) => msg)).not.toContain("the store is not available");
  },
);

/** Submits twice while each write fails. Returns the ids of the writes that each of two repetitions tries. */
async function repetitionsAfter(fault: Error): Promise<readonly (readonly string[])[]> {
  failWrites(fault);
  await gateway.submit();
  await gateway.submit();
  const repetitions: (readonly string[])[] = [];
  for (let times = 0; times < 2; times++) {
    tried = [];
    await gateway.time.tick();
    repetitions.push(tried);
  }
  return repetitions;
}

it("the gateway tries all failed writes again even if each fails", async () => {
  const repetitions = await repetitionsAfter(storeFull);
  const [one, other] = gateway.sent();
  expect(repetitions).toEqual([
    [one, other],
    [one, other],
  ]);
});

it("the gateway repeats only one failed write at a time, in turn, while the store does not reply", async () => {
  const repetitions = await repetitionsAfter(lost);
  const [one, other] = gateway.sent();
  expect(repetitions).toEqual([[one], [other]]);
});
