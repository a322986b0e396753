import { beforeEach, expect, it } from "vitest";
import { type Behaviour, problem } from "../harness/insurer.ts";
import { OUTCOME_UNKNOWN } from "../harness/store-calls.ts";
import {
  accepting,
  type GatewayWithStore,
  startWithStore,
  storeFull,
  submitUnstored,
} from "./gateway-with-store.ts";
import {
  type Change,
  replaceBySame,
  storeEqualThenSuccess,
  storeFailure,
  storeFailureAndCorrect,
  storeIdentifierElsewhere,
  storeSame,
  storeSameEarlier,
  storeSuccess,
  withdraw,
  withdrawAndStoreElsewhere,
} from "./other-processes.ts";

const REFUSED = "422 PROVIDER_REJECTED rejected never";
/** The answer about a success whose stored answer the gateway cannot decrypt. */
const EXECUTED = "502 PROVIDER_BAD_RESPONSE executed never";

const FOREIGN = expect.stringContaining("answered with the identifier of another submission");
const DIFFERENT = "a submission already had a different result when its insurer answered";
const CONFLICT = "a submission was concluded before its insurer's answer could be stored";
const LOST = "the store has lost a submission; it is written again";
const UNKNOWN = "the outcome of a submission is unknown";
const UNAVAILABLE = "the store is not available";

let gateway: GatewayWithStore;
beforeEach(async () => {
  gateway = await startWithStore();
});

const refusing = (): Behaviour => problem(422, "PROVIDER_REJECTED");

interface Row {
  /** The state that the other process leaves, and the insurer's answer unless the insurer accepts. */
  readonly left: string;
  readonly insurer: () => Behaviour;
  readonly change: Change;
  /** The caller's answer. */
  readonly says: string;
  /** State and identifier of the stored submission, and the authors of its corrections. */
  readonly stored: string;
  /** The same after a late write. Default: `stored`. */
  readonly storedLate?: string;
  /** The warnings if the gateway stores the result after the change. */
  readonly logged: readonly unknown[];
  /** The warnings if the gateway could not store the result before the change. */
  readonly loggedLate: readonly unknown[];
}
const rows: readonly Row[] = [
  {
    left: "a success",
    insurer: accepting,
    change: storeSuccess,
    says: EXECUTED,
    stored: "succeeded D-other",
    logged: [],
    loggedLate: [CONFLICT],
  },
  {
    left: "a success, not a refusal",
    insurer: refusing,
    change: storeSuccess,
    says: EXECUTED,
    stored: "succeeded D-other",
    logged: [DIFFERENT],
    loggedLate: [CONFLICT],
  },
  // The insurer acted, so the gateway corrects the failed state.
  {
    left: "a failure",
    insurer: accepting,
    change: storeFailure,
    says: "201",
    stored: "succeeded D-000001 insurance-gateway",
    logged: [DIFFERENT],
    loggedLate: [CONFLICT],
  },
  {
    left: "a failure and a refusal",
    insurer: refusing,
    change: storeFailure,
    says: REFUSED,
    stored: "failed",
    logged: [],
    loggedLate: [CONFLICT],
  },
  {
    left: "a failure that an operator corrects",
    insurer: accepting,
    change: storeFailureAndCorrect,
    says: OUTCOME_UNKNOWN,
    stored: "succeeded D-own operator",
    logged: [DIFFERENT],
    loggedLate: [CONFLICT],
  },
  {
    left: "the same result",
    insurer: accepting,
    change: storeSame,
    says: "201",
    stored: "succeeded D-000001",
    logged: [],
    loggedLate: [],
  },
  {
    left: "the same result, stored earlier",
    insurer: accepting,
    change: storeSameEarlier,
    says: EXECUTED,
    stored: "succeeded D-000001",
    logged: [],
    loggedLate: [CONFLICT],
  },
  {
    left: "nothing",
    insurer: accepting,
    change: withdraw,
    says: "201",
    stored: "succeeded D-000001",
    logged: [LOST],
    loggedLate: [LOST],
  },
  {
    left: "nothing, and a refusal",
    insurer: refusing,
    change: withdraw,
    says: REFUSED,
    stored: "failed",
    logged: [LOST],
    loggedLate: [LOST],
  },
  {
    left: "only an equal open submission",
    insurer: accepting,
    change: replaceBySame("content"),
    says: "201",
    stored: "succeeded D-000001",
    logged: [LOST],
    loggedLate: [LOST],
  },
  {
    left: "only another submission with the key",
    insurer: accepting,
    change: replaceBySame("key"),
    says: OUTCOME_UNKNOWN,
    stored: "lost",
    logged: [LOST],
    loggedLate: [LOST, CONFLICT],
  },
  {
    left: "only another submission with the key, and a refusal",
    insurer: refusing,
    change: replaceBySame("key"),
    says: OUTCOME_UNKNOWN,
    stored: "lost",
    logged: [LOST],
    loggedLate: [LOST, CONFLICT],
  },
  {
    left: "another submission with the answer's identifier",
    insurer: accepting,
    change: storeIdentifierElsewhere,
    says: OUTCOME_UNKNOWN,
    stored: "outcome_unknown",
    logged: [FOREIGN, UNKNOWN],
    loggedLate: [CONFLICT],
  },
  {
    left: "an equal submission with the answer's identifier, and then a success",
    insurer: accepting,
    change: storeEqualThenSuccess,
    says: "201",
    stored: "succeeded D-other",
    logged: [DIFFERENT],
    loggedLate: [CONFLICT],
  },
  {
    left: "only another submission with the answer's identifier",
    insurer: accepting,
    change: withdrawAndStoreElsewhere,
    says: OUTCOME_UNKNOWN,
    stored: "in_flight",
    storedLate: "outcome_unknown",
    logged: [LOST],
    loggedLate: [LOST, CONFLICT],
  },
];

/** Returns the state and identifier of the only sent submission, and the authors of its corrections. */
async function stateLeft(): Promise<string> {
  const [id = ""] = gateway.sent();
  const { insurerId, state = "lost" } = (await gateway.store.find(id)) ?? {};
  const authors = (await gateway.store.resolutions(id)).map(({ by }) => by);
  return [state, insurerId ?? [], authors].flat().join(" ");
}

function messages(): readonly unknown[] {
  return gateway.warnings().map(({ msg }) => msg);
}

it.each(rows)(
  "the caller's answer and the stored result agree with the state in which another process left the submission: $left",
  async ({ change, insurer, logged, says, stored }) => {
    gateway.insurer.behaviour = insurer();
    gateway.replaceStoreMethods({
      async settle(settlement) {
        gateway.restoreStore();
        await change(settlement, gateway);
        return gateway.store.settle(settlement);
      },
    });
    expect((await gateway.submit()).says).toBe(says);
    expect([await stateLeft(), messages()]).toEqual([stored, logged]);
  },
);

it.each(rows)(
  "a late write of the insurer's answer agrees with the state in which another process left the submission: $left",
  async ({ change, insurer, loggedLate, stored, storedLate = stored }) => {
    gateway.insurer.behaviour = insurer();
    await change(await submitUnstored(gateway), gateway);
    await gateway.time.tick();
    expect([await stateLeft(), messages()]).toEqual([storedLate, [UNAVAILABLE, ...loggedLate]]);
    await gateway.time.tick();
    expect(messages(), "the write is not repeated").toHaveLength(1 + loggedLate.length);
  },
);

it.each([
  ["a submission", storeIdentifierElsewhere],
  ["a submission that the store has lost", withdrawAndStoreElsewhere],
])(
  "the gateway queries the insurer at once if a late write of %s has another submission's identifier",
  async (_, change) => {
    await change(await submitUnstored(gateway), gateway);
    await gateway.time.tick();
    expect(gateway.insurer.arrivals.map(({ method }) => method)).toEqual(["POST", "GET"]);
  },
);

it("the gateway repeats a late write of an answer with another submission's identifier until the unknown outcome is stored", async () => {
  await storeIdentifierElsewhere(await submitUnstored(gateway), gateway);
  gateway.replaceStoreMethods({ markUnknown: () => Promise.reject(storeFull) });
  await gateway.time.tick();
  expect(await stateLeft()).toBe("in_flight");
  gateway.restoreStore();
  await gateway.time.tick();
  expect(await stateLeft()).toBe("outcome_unknown");
});

it.each([
  ["accepted", accepting],
  ["refused", refusing],
])(
  "the gateway reports `unknown` for a submission that the insurer %s and another process concluded if the result cannot be read",
  async (_, insurer) => {
    gateway.insurer.behaviour = insurer();
    gateway.replaceStoreMethods({
      async settle(settlement) {
        await storeSuccess(settlement, gateway);
        return gateway.store.settle(settlement);
      },
      find: () => Promise.reject(storeFull),
    });
    expect((await gateway.submit()).says).toBe(OUTCOME_UNKNOWN);
  },
);
