import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { expect, it, onTestFinished, vi } from "vitest";
import { StoreUnavailableError } from "../../src/store/faults.ts";
import { applicationBody } from "../harness/applications.ts";
import { account, CLAIM, startBrokers } from "../harness/brokers.ts";
import { type Behaviour, problem } from "../harness/insurer.ts";
import {
  IN_PROGRESS,
  newSendable,
  OUTCOME_UNKNOWN,
  STORE_UNAVAILABLE,
  STORE_UNREADABLE,
  stateOf,
} from "../harness/store-calls.ts";
import { accepting, startWithStore } from "./gateway-with-store.ts";

const loseAnswer: Behaviour = (response) => void response.destroy();
/** Answers each application with the application of another customer. */
const answerWithAnother: Behaviour = (response, arrival) =>
  accepting()(response, { ...arrival, body: JSON.stringify(applicationBody()) });

it.each([
  ["in two seconds if the insurer did not answer", loseAnswer, 2_000, "3"],
  ["at once if the answer belonged to another submission", answerWithAnother, 0, "2"],
])(
  "the first query about a submission of unknown outcome is due %s",
  async (_, behaviour, afterMs, retryAfter) => {
    const gateway = await startWithStore();
    gateway.insurer.behaviour = behaviour;
    expect(await gateway.submit()).toMatchObject({ says: OUTCOME_UNKNOWN, retryAfter });
    const at = gateway.time.now();
    expect(await gateway.store.find(gateway.sent()[0] ?? "")).toMatchObject({
      nextQueryAt: at + afterMs,
      unknownAt: at,
    });
  },
);

it.each([
  ["default", undefined, {}],
  ["north", { claim: CLAIM, list: [account("north", "north")] }, { account: "north" }],
])(
  "the log reports each unknown outcome, and names the account unless the account is `default`: %s",
  async (_, accounts, more) => {
    const brokers = await startBrokers(accounts, loseAnswer, { ids: ["north"] });
    onTestFinished(() => brokers.stop());
    const answer = await brokers.submit({ tenant: "north" }, applicationBody());
    const { requestId } = Object(await answer.json());
    const lines = brokers.gateway.log.map((line) => JSON.parse(line));
    expect(lines.filter(({ level }) => level >= 40)).toEqual([
      {
        level: 40,
        time: expect.anything(),
        submissionId: brokers.insurer.arrivals[0]?.headers["idempotency-key"],
        requestId,
        caller: expect.stringMatching(/^[0-9a-f]{16}$/),
        ...more,
        msg: "the outcome of a submission is unknown",
      },
    ]);
  },
);

it("the gateway stores the claim before sending a submission, and stores the result before answering the caller", async () => {
  const gateway = await startWithStore();
  const steps: Promise<unknown>[] = [];
  const note = (message: unknown): void => {
    const { point, submissionId }: Readonly<Record<string, unknown>> = Object(message);
    const sent = gateway.sent().length;
    const stored = gateway.store.find(String(submissionId));
    steps.push(stored.then((record) => `${String(point)}: ${record?.state}, ${sent} sent`));
  };
  subscribe("insurance-gateway:submission", note);
  onTestFinished(() => void unsubscribe("insurance-gateway:submission", note));
  await gateway.submit();
  expect(await Promise.all(steps)).toEqual([
    "after_claim: in_flight, 0 sent",
    "before_send: in_flight, 0 sent",
    "after_answer: in_flight, 1 sent",
    "before_reply: succeeded, 1 sent",
  ]);
});

it.each<[string, string, Behaviour]>([
  ["withdrawn", "withdraw", problem(429, "RATE_LIMITED")],
  ["marked as unknown", "markUnknown", loseAnswer],
  ["stored as failed", "settle", problem(422, "PROVIDER_REJECTED")],
  ["stored as succeeded", "settle", accepting()],
])(
  "the gateway answers the caller only after the submission is %s",
  async (_, method, behaviour) => {
    const gateway = await startWithStore();
    gateway.insurer.behaviour = behaviour;
    const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const hold = async (written: string): Promise<void> => {
      if (written !== method) return;
      begun.resolve();
      await held.promise;
    };
    const { store } = gateway;
    gateway.replaceStoreMethods({
      async withdraw(...parameters) {
        await hold("withdraw");
        return store.withdraw(...parameters);
      },
      async markUnknown(...parameters) {
        await hold("markUnknown");
        return store.markUnknown(...parameters);
      },
      async settle(...parameters) {
        await hold("settle");
        return store.settle(...parameters);
      },
    });
    let isAnswered = false;
    const answer = gateway.submit().then(() => {
      isAnswered = true;
    });
    await begun.promise;
    // The gateway answers this request for the state while the write still waits.
    expect(await stateOf(gateway, gateway.sent()[0] ?? "")).toBe("in_flight");
    expect(isAnswered).toBe(false);
    held.resolve();
    await answer;
  },
);

it.each([
  ["the store wrote nothing", new StoreUnavailableError("SQLITE_FULL", false), 0],
  [
    "the store may have written the claim, which is withdrawn",
    new StoreUnavailableError("connection lost", true),
    1,
  ],
])("the gateway sends nothing if the claim fails: %s", async (_, fault, withdrawals) => {
  const gateway = await startWithStore();
  const withdrawn: string[] = [];
  gateway.replaceStoreMethods({
    async claim(...parameters) {
      if (fault.mayBeWritten) await gateway.store.claim(...parameters);
      throw fault;
    },
    async withdraw(id) {
      withdrawn.push(id);
      return gateway.store.withdraw(id);
    },
  });
  const sendable = newSendable();
  expect((await gateway.submit(sendable)).says).toBe(STORE_UNAVAILABLE);
  expect([gateway.sent(), withdrawn.length]).toEqual([[], withdrawals]);
  gateway.restoreStore();
  expect(await gateway.submit(sendable)).toMatchObject({ says: "201", replayed: false });
});

it("the gateway reports `unknown` for a failed claim if the gateway cannot read whether the idempotency key was used", async () => {
  const gateway = await startWithStore();
  const fail = (): Promise<never> =>
    Promise.reject(new StoreUnavailableError("SQLITE_FULL", false));
  gateway.replaceStoreMethods({ claim: fail, findByKey: fail });
  expect((await gateway.submit()).says).toBe(STORE_UNREADABLE);
});

it.each<[string, Error, after: string]>([
  ["the gateway has a fault", new TypeError("a fault of our own"), IN_PROGRESS],
  ["the store is not available", new StoreUnavailableError("SQLITE_FULL", false), "201"],
])(
  "the outcome is unknown if the insurer's answer cannot be stored: %s",
  async (_, fault, after) => {
    const gateway = await startWithStore();
    gateway.replaceStoreMethods({ settle: () => Promise.reject(fault) });
    const sendable = newSendable();
    const answer = await gateway.submit(sendable);
    // The first query is due as early after this fault as after any other unknown outcome, so Retry-After is the usual
    // time.
    expect(answer).toMatchObject({ says: OUTCOME_UNKNOWN, retryAfter: "3" });
    const [id = ""] = gateway.sent();
    expect(JSON.parse(answer.text)).toMatchObject({
      reconciliation: { href: `/submissions/${id}` },
    });
    gateway.restoreStore();
    await gateway.time.tick();
    expect((await gateway.submit(sendable)).says).toBe(after);
    expect(gateway.sent()).toHaveLength(1);
  },
);

it("the gateway stores an unknown outcome and plans a query if the gateway has a fault after the sending of a submission", async () => {
  const gateway = await startWithStore();
  const accept = accepting();
  gateway.insurer.behaviour = (response, arrival) => {
    // The gateway next reads the elapsed time for the circuit breaker.
    vi.spyOn(gateway.time, "elapsed").mockImplementationOnce(() => {
      throw new TypeError("a fault of our own");
    });
    accept(response, arrival);
  };
  const sendable = newSendable();
  expect((await gateway.submit(sendable)).says).toBe(OUTCOME_UNKNOWN);
  expect(await gateway.store.find(gateway.sent()[0] ?? "")).toMatchObject({
    state: "outcome_unknown",
    nextQueryAt: gateway.time.now() + 2_000,
  });
  expect((await gateway.submit(sendable)).says).toBe(OUTCOME_UNKNOWN);
  expect(gateway.sent()).toHaveLength(1);
});
