import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { setImmediate } from "node:timers/promises";
import { Refusal } from "@insurance-gateway/core/runtime";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { StoreUnavailableError } from "../../src/store/faults.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { applicationBody } from "../harness/applications.ts";
import {
  type Asked,
  acceptedAs,
  inWords,
  NOW,
  REQUEST_ID,
  startSubmitWorld,
} from "./one-submission.ts";

const HOUR = 3_600_000;
const unknown = new Refusal("OUTCOME_UNKNOWN", { detail: "The insurer may have received it." });
const refused = new Refusal("PROVIDER_REJECTED", { detail: "No." });

describe("results of an attempt", () => {
  it.each<[what: string, Error | null, first: string, again: string, sent: number]>([
    ["the insurer accepted the submission", null, "201", "201 again", 1],
    [
      "the insurer refused the submission",
      refused,
      "422 PROVIDER_REJECTED rejected never",
      "422 PROVIDER_REJECTED again",
      1,
    ],
    [
      "the insurer asked to try later",
      new Refusal("TOO_MANY", { detail: "Later." }),
      "429 TOO_MANY rejected safe",
      "201",
      2,
    ],
    [
      "nothing was sent",
      new Refusal("PROVIDER_UNREACHABLE", { detail: "No way there." }),
      "502 PROVIDER_UNREACHABLE not_sent safe",
      "201",
      2,
    ],
    [
      "the insurer acted, and its answer was not usable",
      new Refusal("PROVIDER_BAD_RESPONSE", {
        detail: "What?",
        outcome: "executed",
        retry: "never",
        insurerId: "D-7",
      }),
      "502 PROVIDER_BAD_RESPONSE executed never",
      "502 PROVIDER_BAD_RESPONSE again",
      1,
    ],
    [
      "the outcome was unknown",
      unknown,
      "504 OUTCOME_UNKNOWN unknown same_key",
      "504 OUTCOME_UNKNOWN unknown same_key",
      1,
    ],
    [
      "the outcome was unknown after a timeout",
      new Refusal("PROVIDER_TIMEOUT", { detail: "Too late." }),
      "504 OUTCOME_UNKNOWN unknown same_key",
      "504 OUTCOME_UNKNOWN unknown same_key",
      1,
    ],
    [
      "an adapter had a fault",
      new TypeError("a fault of our own"),
      "504 OUTCOME_UNKNOWN unknown same_key",
      "504 OUTCOME_UNKNOWN unknown same_key",
      1,
    ],
  ])(
    "the gateway sends or answers a repeated request as the result of the first attempt requires: %s",
    async (_what, end, first, again, sent) => {
      const world = await startSubmitWorld();
      world.sendings = [end ?? acceptedAs("D-1")];
      expect([inWords(await world.ask()), inWords(await world.ask())]).toEqual([first, again]);
      expect(world.sent).toHaveLength(sent);
    },
  );
});

it("the gateway's answer has the address of an executed submission, even if the insurer's answer cannot be read", async () => {
  const world = await startSubmitWorld();
  const lost = { detail: "What?", outcome: "executed", retry: "never", insurerId: "D-7" } as const;
  const cause = new SyntaxError("no JSON");
  world.sendings = [new Refusal("PROVIDER_BAD_RESPONSE", lost, cause), acceptedAs("D-8")];
  const [broken, good] = [
    await world.ask(),
    await world.ask({ key: "b", body: applicationBody() }),
  ];
  const [one, other] = world.sent.map(({ submissionId }) => submissionId ?? "");
  expect(Reflect.get(broken, "cause"), "for the operator").toBe(cause);
  expect(broken).toMatchObject({
    details: { insurerId: "D-7", reconciliation: { href: `/broker/submissions/${one}` } },
  });
  expect(good).toMatchObject({ headers: { location: `/broker/submissions/${other}` } });
  expect((await world.store.find(one ?? ""))?.insurerId).toBe("D-7");
  expect((await world.store.find(other ?? ""))?.insurerId).toBe("D-8");
});

it.each([
  ["in two seconds if the insurer did not answer", unknown, 2_000, "3"],
  [
    "at once if the answer belonged to another submission",
    new Refusal("OUTCOME_UNKNOWN", { detail: "Whose?", mismatched: ["/holder/afm"] }),
    0,
    "2",
  ],
])(
  "the first query about a submission of unknown outcome is due %s",
  async (_, end, afterMs, retryAfter) => {
    const world = await startSubmitWorld();
    world.sendings = [end];
    expect(await world.ask()).toMatchObject({
      details: { headers: { "retry-after": retryAfter } },
    });
    const id = world.sent[0]?.submissionId ?? "";
    expect(await world.store.find(id)).toMatchObject({
      nextQueryAt: NOW + afterMs,
      unknownAt: NOW,
    });
  },
);

it.each([
  ["default", {}],
  ["north", { account: "north" }],
])(
  "the log reports each unknown outcome, and names the account unless it is `default`: %s",
  async (account, more) => {
    const world = await startSubmitWorld();
    world.sendings = [unknown];
    await world.ask({ account });
    const submissionId = world.sent[0]?.submissionId;
    const msg = "the outcome of a submission is unknown";
    expect(world.log.read()).toEqual([
      {
        level: 40,
        submissionId,
        requestId: REQUEST_ID,
        caller: expect.stringMatching(/^[0-9a-f]{16}$/),
        ...more,
        msg,
      },
    ]);
  },
);

it("the gateway stores the claim before sending a submission, and stores the result before answering the caller", async () => {
  const world = await startSubmitWorld();
  const steps: Promise<unknown>[] = [];
  const note = (message: unknown): void => {
    const { point, submissionId }: Readonly<Record<string, unknown>> = Object(message);
    const sent = world.sent.length;
    const stored = world.store.find(String(submissionId));
    steps.push(stored.then((record) => `${String(point)}: ${record?.state}, ${sent} sent`));
  };
  subscribe("insurance-gateway:submission", note);
  onTestFinished(() => void unsubscribe("insurance-gateway:submission", note));
  await world.ask();
  expect(await Promise.all(steps)).toEqual([
    "after_claim: in_flight, 0 sent",
    "before_send: in_flight, 0 sent",
    "after_answer: in_flight, 1 sent",
    "before_reply: succeeded, 1 sent",
  ]);
});

it.each([
  ["withdrawn", "withdraw", new Refusal("PROVIDER_UNREACHABLE", { detail: "No way there." })],
  ["marked as unknown", "markUnknown", unknown],
  ["stored as failed", "settle", refused],
  ["stored as succeeded", "settle", null],
])("the gateway answers the caller only after the submission is %s", async (_, writing, end) => {
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const hold = async (transaction: string): Promise<void> => {
    if (transaction !== writing) return;
    begun.resolve();
    await held.promise;
  };
  const world = await startSubmitWorld({}, (store) => ({
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
  }));
  world.sendings = [end ?? acceptedAs("D-1")];
  let isAnswered = false;
  const answer = world.ask().then(() => {
    isAnswered = true;
  });
  await begun.promise;
  for (let turn = 0; turn < 3; turn++) await setImmediate();
  expect(isAnswered).toBe(false);
  held.resolve();
  await answer;
});

it("the gateway does not send a submission more than 15 seconds after the claim, even if the clock is set back", async () => {
  const world = await startSubmitWorld({}, (store) => ({
    async claim(...parameters) {
      world.forward(16_000);
      world.setBack(3_600_000);
      return store.claim(...parameters);
    },
  }));
  expect(inWords(await world.ask())).toBe("503 STORE_UNAVAILABLE not_sent safe");
  expect(world.sent).toEqual([]);
});

it("the gateway sends a submission only within 15 seconds after the submission's arrival, including the time of the claim", async () => {
  vi.spyOn(performance, "now").mockReturnValue(1_000);
  onTestFinished(() => void vi.restoreAllMocks());
  const world = await startSubmitWorld({}, (store) => ({
    async claim(...parameters) {
      world.forward(4_000);
      return store.claim(...parameters);
    },
  }));
  await world.ask();
  expect(world.sent[0]?.beginBy).toBe(1_000 + 15_000 - 4_000);
});

describe("a store that fails", () => {
  const fault = new TypeError("a fault of our own");
  const full = new StoreUnavailableError("SQLITE_FULL", false);
  const lost = new StoreUnavailableError("connection lost", true);
  const failing =
    (name: "claim" | "settle", error: Error, withdrawn: string[]) =>
    (store: SubmissionStore): Partial<SubmissionStore> => ({
      [name]: () => Promise.reject(error),
      async withdraw(id) {
        withdrawn.push(id);
        return store.withdraw(id);
      },
    });

  it.each([
    ["the store wrote nothing", full, 0],
    ["the store may have written the claim, which is withdrawn", lost, 1],
  ])("the gateway sends nothing if the claim fails: %s", async (_, error, withdrawals) => {
    const withdrawn: string[] = [];
    const world = await startSubmitWorld({}, failing("claim", error, withdrawn));
    expect(inWords(await world.ask())).toBe("503 STORE_UNAVAILABLE not_sent safe");
    expect([world.sent.length, withdrawn.length]).toEqual([0, withdrawals]);
  });

  it.each([
    ["the gateway has a fault", fault, fault],
    ["the store is not available", full, undefined],
  ])(
    "the outcome is unknown if the insurer's answer cannot be stored: %s",
    async (_, error, cause) => {
      const world = await startSubmitWorld({}, failing("settle", error, []));
      const answer = await world.ask();
      expect(inWords(answer)).toBe("504 OUTCOME_UNKNOWN unknown same_key");
      const href = `/broker/submissions/${world.sent[0]?.submissionId}`;
      // The first query is due as soon after this fault as after any other unknown outcome.
      expect(answer).toMatchObject({
        details: { reconciliation: { href }, headers: { "retry-after": "3" } },
      });
      expect(Reflect.get(answer, "cause")).toBe(cause);
    },
  );
});

describe("repetitions of an earlier submission", () => {
  it.each<[what: string, Asked, answer: string, asked: number]>([
    ["with the same key and content", {}, "201 again", 1],
    [
      "with other content",
      { body: applicationBody() },
      "422 IDEMPOTENCY_KEY_REUSED not_sent never",
      0,
    ],
    ["at another segment", { segment: "fleet" }, "422 IDEMPOTENCY_KEY_REUSED unknown never", 0],
    [
      "at another segment, with another key",
      { segment: "fleet", key: "its-own" },
      "422 IDEMPOTENCY_KEY_REUSED not_sent never",
      0,
    ],
    [
      "at another segment, without a key",
      { segment: "fleet", key: null },
      "422 IDEMPOTENCY_KEY_REUSED unknown never",
      0,
    ],
    [
      "through another account",
      { account: "north" },
      "422 IDEMPOTENCY_KEY_REUSED unknown never",
      0,
    ],
    ["without the key", { key: null }, "201 again", 1],
  ])("the gateway does not send a repeated request: %s", async (_, asked, answer, askedAgain) => {
    const world = await startSubmitWorld();
    await world.ask();
    expect(inWords(await world.ask(asked))).toBe(answer);
    expect([world.sent.length, world.askedAgain.length]).toEqual([1, askedAgain]);
  });

  it("the gateway does not send a repeated request even if the clock is set forward by a day", async () => {
    const world = await startSubmitWorld();
    await world.ask({ key: null });
    world.forward(1_800_000);
    world.setBack(-24 * 3_600_000);
    expect(inWords(await world.ask({ key: null }))).toBe("201 again");
    world.forward(1_800_000);
    expect(inWords(await world.ask({ key: null }))).toBe("201");
  });

  it("the gateway does not send equal content with a new key to another segment as long as the gateway compares equal content", async () => {
    const world = await startSubmitWorld();
    await world.ask();
    const elsewhere = async (key: string): Promise<string> =>
      inWords(await world.ask({ segment: "fleet", key }));
    expect(await elsewhere("b")).toBe("422 IDEMPOTENCY_KEY_REUSED not_sent never");
    expect(await elsewhere("c")).toBe("422 IDEMPOTENCY_KEY_REUSED not_sent never");
    world.forward(HOUR);
    expect(await elsewhere("b")).toBe("201");
  });

  it.each([
    [24, 23],
    [72, 71],
    [72, 24 * 365],
  ])(
    "the gateway does not send the same content again for %i hours, even if the clock is set forward by %i hours",
    async (hours, moved) => {
      const kept = hours * HOUR;
      const world = await startSubmitWorld({}, undefined, null, {
        answerMs: kept,
        digestsMs: kept,
        sameContentMs: kept,
      });
      await world.ask({ key: null });
      world.forward(HOUR);
      world.setBack(-moved * HOUR);
      for (let passed = 1; passed < hours; passed += 1) {
        expect(inWords(await world.ask({ key: null }))).toBe("201 again");
        world.forward(HOUR);
      }
      expect(inWords(await world.ask({ key: null }))).toBe("201");
    },
  );

  it("the gateway does not send a submission if the account's quota is used up, but still replays earlier answers", async () => {
    const world = await startSubmitWorld({}, undefined, 1);
    const other = { key: "b", body: applicationBody() };
    const answers = [await world.ask(), await world.ask(other), await world.ask()];
    expect(answers.map(inWords)).toEqual(["201", "429 RATE_LIMITED not_sent safe", "201 again"]);
    expect(world.sent).toHaveLength(1);
  });

  it("the gateway does not send a submission through an account that was removed after the request arrived", async () => {
    const world = await startSubmitWorld({}, () => ({
      claim: async () => ({ claimed: false, relation: "no_account", existing: null }),
    }));
    expect(await world.ask()).toMatchObject({
      code: "PROVIDER_UNAVAILABLE",
      details: { reason: "no_account", outcome: "not_sent" },
    });
    expect(world.sent).toHaveLength(0);
  });
});

describe("identifiers of earlier submissions", () => {
  const again = { key: "b" };
  it("the gateway reports a duplicate, also for a repetition, if the answer has the identifier of an equal earlier submission", async () => {
    const world = await startSubmitWorld({ sameContent: "none" });
    world.sendings = [acceptedAs("D-1"), acceptedAs("D-1")];
    const answers = [await world.ask(), await world.ask(again), await world.ask(again)];
    expect(answers.map(inWords)).toEqual([
      "201",
      "409 DUPLICATE_APPLICATION rejected never",
      "409 DUPLICATE_APPLICATION again",
    ]);
    expect(await world.states()).toEqual(["failed", "succeeded"]);
  });

  it("the gateway reports `unknown` and closes a used connection on which an earlier submission's identifier arrives", async () => {
    const world = await startSubmitWorld({ sameContent: "none" });
    const answerConnections = { areNew: false, close: vi.fn() };
    world.sendings = [acceptedAs("D-1"), { ...acceptedAs("D-1"), answerConnections }];
    const answers = [await world.ask(), await world.ask(again)];
    expect(answers.map(inWords)).toEqual(["201", "504 OUTCOME_UNKNOWN unknown same_key"]);
    expect(await world.states()).toEqual(["outcome_unknown", "succeeded"]);
    expect(answerConnections.close).toHaveBeenCalledTimes(1);
  });

  it.each([
    ["the connection is closed", true],
    ["the connection is not known", false],
  ])(
    "the gateway reports `unknown` and logs an answer with the identifier of an earlier submission with other content: %s",
    async (_, isKnown) => {
      const world = await startSubmitWorld();
      const answerConnections = { areNew: true, close: vi.fn() };
      world.sendings = [
        acceptedAs("D-1"),
        { ...acceptedAs("D-1"), ...(isKnown && { answerConnections }) },
      ];
      await world.ask();
      const answer = await world.ask({ ...again, body: applicationBody() });
      expect(inWords(answer)).toBe("504 OUTCOME_UNKNOWN unknown same_key");
      expect(await world.states()).toEqual(["outcome_unknown", "succeeded"]);
      expect(answerConnections.close).toHaveBeenCalledTimes(isKnown ? 1 : 0);
      expect(world.log.read().map(({ msg }) => msg)).toEqual([
        expect.stringContaining("an insurer answered with the identifier of another submission"),
        "the outcome of a submission is unknown",
      ]);
    },
  );
});

describe("submissions that another process has settled meanwhile", () => {
  it("the caller gets the result that another process stored, even if the insurer refuses the submission", async () => {
    const world = await startSubmitWorld();
    world.sendings = [
      async () => {
        await world.settle(world.sent[0]?.submissionId ?? "");
        throw refused;
      },
    ];
    expect(await world.ask()).toMatchObject({ status: 201, content: "found" });
  });

  it("the caller gets the result that another process stored, even if the answer has an earlier submission's identifier", async () => {
    const world = await startSubmitWorld({ sameContent: "none" }, (store) => ({
      async settle(settlement) {
        const settled = await store.settle(settlement);
        if (typeof settled === "object") await world.settle(settlement.id);
        return settled;
      },
    }));
    world.sendings = [acceptedAs("D-1"), acceptedAs("D-1")];
    expect(await world.ask()).toMatchObject({ content: '{"applicationId":"D-1"}' });
    expect(await world.ask({ key: "b" })).toMatchObject({ status: 201, content: "found" });
  });
});
