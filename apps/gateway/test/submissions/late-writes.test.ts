import { beforeEach, expect, it } from "vitest";
import { StoreUnavailableError } from "../../src/store/faults.ts";
import { type Behaviour, problem } from "../harness/insurer.ts";
import { accepting, type GatewayWithStore, startWithStore } from "./gateway-with-store.ts";

const full = new StoreUnavailableError("SQLITE_FULL", false);
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
  gateway.change({
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

const writes: readonly (readonly [string, () => Behaviour, state: string | undefined])[] = [
  ["a success", accepting, "succeeded"],
  ["a refusal", () => problem(422, "PROVIDER_REJECTED"), "failed"],
  ["a refusal that frees the key", () => problem(429, "RATE_LIMITED"), undefined],
  ["an unknown outcome", () => (response) => void response.destroy(), "outcome_unknown"],
];

it.each(writes)(
  "the gateway logs a failed write, and repeats the write once when the store is available again: %s",
  async (_, behaviour, state) => {
    gateway.insurer.behaviour = behaviour();
    failWrites(full);
    await gateway.submit();
    const [submissionId = ""] = gateway.sent();
    const unavailable = { submissionId, detail: "SQLITE_FULL", msg: "the store is not available" };
    expect(gateway.warnings()).toContainEqual({ level: 50, ...unavailable });
    await gateway.time.tick();
    failWrites(null);
    await gateway.time.tick();
    expect((await gateway.store.find(submissionId))?.state).toBe(state);
    await gateway.time.tick();
    expect(tried).toEqual([submissionId, submissionId, submissionId]);
  },
);

it.each(writes)(
  "the gateway does not repeat a write that fails for another reason than an unavailable store: %s",
  async (_, behaviour) => {
    gateway.insurer.behaviour = behaviour();
    failWrites(ownFault);
    await gateway.submit();
    await gateway.time.tick();
    expect(tried).toEqual(gateway.sent());
    expect(gateway.warnings().map(({ msg }) => msg)).not.toContain("the store is not available");
  },
);

it.each([
  ["tries all failed writes again, even if each fails", full, 2],
  ["repeats only one failed write at a time, in turn, while the store does not reply", lost, 1],
])("the gateway %s", async (_, fault, count) => {
  failWrites(fault);
  await gateway.submit();
  await gateway.submit();
  for (const order of [gateway.sent(), gateway.sent().toReversed()]) {
    tried = [];
    await gateway.time.tick();
    expect(tried).toEqual((count === 1 ? order : gateway.sent()).slice(0, count));
  }
});
