import { beforeEach, expect, it } from "vitest";
import { StoreUnavailableError } from "../../src/store/faults.ts";
import type { Settlement } from "../../src/store/record.ts";
import { type Behaviour, problem } from "../harness/insurer.ts";
import { OUTCOME_UNKNOWN } from "../harness/store-calls.ts";
import { accepting, type GatewayWithStore, startWithStore } from "./gateway-with-store.ts";
import {
  type Change,
  fail,
  failAndCorrect,
  giveAway,
  giveToEqualAndSucceed,
  lose,
  loseAndGiveAway,
  loseTo,
  resultOf,
  storeSame,
  storeSameEarlier,
  succeed,
} from "./other-processes.ts";

const full = new StoreUnavailableError("SQLITE_FULL", false);
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

const accepts = accepting;
const refuses = (): Behaviour => problem(422, "PROVIDER_REJECTED");

type Row = readonly [
  what: string,
  insurer: () => Behaviour,
  change: Change,
  says: string,
  /** State and identifier of the stored submission, and the authors of its corrections. */
  stored: string,
  logged: readonly unknown[],
  loggedLate: readonly unknown[],
];
const rows: readonly Row[] = [
  ["a success", accepts, succeed, EXECUTED, "succeeded D-other", [], [CONFLICT]],
  [
    "a success, not a refusal",
    refuses,
    succeed,
    EXECUTED,
    "succeeded D-other",
    [DIFFERENT],
    [CONFLICT],
  ],
  // The insurer acted, so the gateway corrects the failed state.
  [
    "a failure",
    accepts,
    fail,
    "201",
    "succeeded D-000001 insurance-gateway",
    [DIFFERENT],
    [CONFLICT],
  ],
  ["a failure and a refusal", refuses, fail, REFUSED, "failed", [], [CONFLICT]],
  [
    "a failure that an operator corrects",
    accepts,
    failAndCorrect,
    OUTCOME_UNKNOWN,
    "succeeded D-own operator",
    [DIFFERENT],
    [CONFLICT],
  ],
  ["the same result", accepts, storeSame, "201", "succeeded D-000001", [], []],
  [
    "the same result, stored earlier",
    accepts,
    storeSameEarlier,
    EXECUTED,
    "succeeded D-000001",
    [],
    [CONFLICT],
  ],
  ["nothing", accepts, lose, "201", "succeeded D-000001", [LOST], [LOST]],
  ["nothing, and a refusal", refuses, lose, REFUSED, "failed", [LOST], [LOST]],
  [
    "only an equal open submission",
    accepts,
    loseTo("content"),
    "201",
    "succeeded D-000001",
    [LOST],
    [LOST],
  ],
  [
    "only another submission with the key",
    accepts,
    loseTo("key"),
    OUTCOME_UNKNOWN,
    "lost",
    [LOST],
    [LOST, CONFLICT],
  ],
  [
    "only another submission with the key, and a refusal",
    refuses,
    loseTo("key"),
    OUTCOME_UNKNOWN,
    "lost",
    [LOST],
    [LOST, CONFLICT],
  ],
  [
    "another submission with the answer's identifier",
    accepts,
    giveAway,
    OUTCOME_UNKNOWN,
    "outcome_unknown",
    [FOREIGN, UNKNOWN],
    [CONFLICT],
  ],
  [
    "an equal submission with the answer's identifier, and then a success",
    accepts,
    giveToEqualAndSucceed,
    "201",
    "succeeded D-other",
    [DIFFERENT],
    [CONFLICT],
  ],
  [
    "only another submission with the answer's identifier",
    accepts,
    loseAndGiveAway,
    OUTCOME_UNKNOWN,
    "in_flight",
    [LOST],
    [LOST, CONFLICT],
  ],
];

/** Sends a submission whose result the gateway cannot store, and returns the result. */
async function submitUnstored(): Promise<Settlement> {
  const unstored = Promise.withResolvers<Settlement>();
  gateway.replaceStoreMethods({
    settle(settlement) {
      unstored.resolve(settlement);
      return Promise.reject(full);
    },
  });
  expect((await gateway.submit()).says).toBe(OUTCOME_UNKNOWN);
  gateway.restoreStore();
  return unstored.promise;
}

/** Returns the state and identifier of the only sent submission, and the authors of its corrections. */
async function stored(): Promise<string> {
  const [id = ""] = gateway.sent();
  const { insurerId, state = "lost" } = (await gateway.store.find(id)) ?? {};
  const authors = (await gateway.store.resolutions(id)).map(({ by }) => by);
  return [state, insurerId ?? [], authors].flat().join(" ");
}

function messages(): readonly unknown[] {
  return gateway.warnings().map(({ msg }) => msg);
}

it.each(rows)(
  "the caller's answer and the stored result agree with the state in which another process left the submission: %s",
  async (_, insurer, change, says, expected, logged) => {
    gateway.insurer.behaviour = insurer();
    gateway.replaceStoreMethods({
      async settle(settlement) {
        gateway.restoreStore();
        await change(settlement, gateway);
        return gateway.store.settle(settlement);
      },
    });
    expect((await gateway.submit()).says).toBe(says);
    expect([await stored(), messages()]).toEqual([expected, logged]);
  },
);

it.each(rows)(
  "a late write of the insurer's answer agrees with the state in which another process left the submission: %s",
  async (_, insurer, change, __, expected, ___, logged) => {
    gateway.insurer.behaviour = insurer();
    await change(await submitUnstored(), gateway);
    await gateway.time.tick();
    const state = expected === "in_flight" ? "outcome_unknown" : expected;
    expect([await stored(), messages()]).toEqual([state, [UNAVAILABLE, ...logged]]);
    await gateway.time.tick();
    expect(messages(), "the write is not repeated").toHaveLength(1 + logged.length);
  },
);

it.each([
  ["a submission", giveAway],
  ["a submission that the store has lost", loseAndGiveAway],
])(
  "the gateway queries the insurer at once if a late write of %s has another submission's identifier",
  async (_, change) => {
    await change(await submitUnstored(), gateway);
    await gateway.time.tick();
    expect(gateway.insurer.arrivals.map(({ method }) => method)).toEqual(["POST", "GET"]);
  },
);

it("the gateway repeats a late write of an answer with another submission's identifier until the unknown outcome is stored", async () => {
  await giveAway(await submitUnstored(), gateway);
  gateway.replaceStoreMethods({ markUnknown: () => Promise.reject(full) });
  await gateway.time.tick();
  expect(await stored()).toBe("in_flight");
  gateway.restoreStore();
  await gateway.time.tick();
  expect(await stored()).toBe("outcome_unknown");
});

it.each([
  ["accepted", accepts],
  ["refused", refuses],
])(
  "the gateway reports `unknown` for a submission that the insurer %s and another process concluded if the result cannot be read",
  async (_, insurer) => {
    gateway.insurer.behaviour = insurer();
    gateway.replaceStoreMethods({
      async settle(settlement) {
        await succeed(settlement, gateway);
        return gateway.store.settle(settlement);
      },
      find: () => Promise.reject(full),
    });
    expect((await gateway.submit()).says).toBe(OUTCOME_UNKNOWN);
  },
);

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
  const settlement = await submitUnstored();
  await fail(settlement, gateway);
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
