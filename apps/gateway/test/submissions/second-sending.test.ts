import { expect, it, onTestFinished, vi } from "vitest";
import { Refusal } from "../../src/problems/refusal.ts";
import { StoreUnavailableError } from "../../src/store/store.ts";
import {
  inWords,
  type Sending,
  SUBMISSION_MS,
  type SubmitWorld,
  startSubmitWorld,
  taken,
} from "./one-submission.ts";

const unknown = new Refusal("OUTCOME_UNKNOWN", { detail: "The insurer may have received it." });
const refused = new Refusal("PROVIDER_REJECTED", { detail: "No." });
const unreachable = new Refusal("PROVIDER_UNREACHABLE", { detail: "No way there." });

/** Submissions of an endpoint that says that a second time changes nothing. */
const repeatable = { method: "PUT", path: "/policies/{policyId}", repeatable: true } as const;
const policy = { params: { policyId: "P-1" } };

it.each<[what: string, Sending[], answer: string, sent: number]>([
  ["an answer", [taken("D-1")], "201", 1],
  ["a refusal", [refused], "422 PROVIDER_REJECTED rejected never", 1],
  ["what was not sent", [unreachable], "502 PROVIDER_UNREACHABLE not_sent safe", 1],
  ["an unknown outcome, then an answer", [unknown, taken("D-1")], "201", 2],
  [
    "an unknown outcome, then a refusal",
    [unknown, refused],
    "504 OUTCOME_UNKNOWN unknown same_key",
    2,
  ],
])("%s decides whether it is sent a second time", async (_, sendings, answer, sent) => {
  const world = await startSubmitWorld(repeatable);
  world.sendings = [...sendings];
  expect(inWords(await world.ask(policy))).toBe(answer);
  expect(world.sent).toHaveLength(sent);
});

it.each([
  ["is not available", new StoreUnavailableError("ECONNRESET", false), undefined],
  ["has a fault of our own", new TypeError("not so"), TypeError],
])("it is not sent a second time when the store %s", async (_, fault, cause) => {
  const world = await startSubmitWorld(repeatable, () => ({
    beginSecondSend: () => Promise.reject(fault),
  }));
  world.sendings = [unknown];
  const answer = await world.ask(policy);
  expect(inWords(answer)).toBe("504 OUTCOME_UNKNOWN unknown same_key");
  expect(world.sent).toHaveLength(1);
  if (cause === undefined) expect(await world.states()).toEqual(["outcome_unknown"]);
  else expect(Reflect.get(answer, "cause"), "the operator sees the fault").toBeInstanceOf(cause);
});

it("its second time may begin when the first has used its time", async () => {
  vi.spyOn(performance, "now").mockReturnValue(1_000);
  onTestFinished(() => void vi.restoreAllMocks());
  const world: SubmitWorld = await startSubmitWorld(repeatable);
  world.sendings = [
    async () => {
      world.forward(SUBMISSION_MS);
      throw unknown;
    },
  ];
  expect(inWords(await world.ask(policy))).toBe("201");
  expect(world.sent.map(({ beginBy }) => beginBy)).toEqual([16_000, 16_000]);
});

it("while it is sent a second time, no other is sent to its resource, which could be undone", async () => {
  const world = await startSubmitWorld(repeatable);
  const begun = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  world.sendings = [
    unknown,
    async () => {
      begun.resolve();
      await answered.promise;
      return taken("D-1");
    },
  ];
  const first = world.ask(policy);
  await begun.promise;
  const body = { colour: "blue" };
  const same = await world.ask({ ...policy, key: "b", body });
  expect(inWords(same)).toBe("409 SUBMISSION_IN_PROGRESS not_sent safe");
  expect(same).toMatchObject({ details: { headers: { "retry-after": "2" } } });
  const other = await world.ask({ params: { policyId: "P-2" }, key: "c", body });
  expect(inWords(other)).toBe("201");
  answered.resolve();
  expect(inWords(await first)).toBe("201");
  expect(inWords(await world.ask({ ...policy, key: "b", body }))).toBe("201");
});
