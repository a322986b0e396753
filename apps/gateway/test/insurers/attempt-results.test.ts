import { Readable } from "node:stream";
import { type AttemptResult, Refusal, type RefusalDetails } from "@insurance-gateway/core/runtime";
import { type ExchangeEnd, TransportError } from "@insurance-gateway/core/transport";
import { createApplication, searchApplications } from "@insurance-gateway/provider-d";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createEndListeners } from "../../src/insurers/exchange/insurer-exchange.ts";
import { callOf } from "../harness/one-attempt.ts";
import { answer, refusalOf, startGuarded } from "./guarded-insurer.ts";

describe("the result of an attempt", () => {
  afterEach(() => void vi.restoreAllMocks());

  const fails = (details: Partial<RefusalDetails> | null): (() => Promise<never>) => {
    return () =>
      Promise.reject(
        details === null
          ? new TypeError("A fault")
          : new Refusal("PROVIDER_UNREACHABLE", { detail: "", ...details }),
      );
  };
  it.each([
    ["an answer", null, "answered"],
    ["a failure", fails({ attempt: "failed" }), "failed"],
    ["an answer that cannot be used", fails({ attempt: "unusable" }), "unusable"],
    ["a documented refusal", fails({ attempt: "answered" }), "answered"],
    ["a refusal that was made before the request left", fails({}), "cancelled"],
    ["a fault of the gateway", fails(null), "cancelled"],
  ] as const)(
    "the circuit breaker and the metrics count the result of each finished attempt of a call, and the attempt frees its slot: %s",
    async (_, make, result) => {
      const guarded = startGuarded();
      if (make !== null) guarded.world.make = make;
      await guarded.go().catch(() => undefined);
      expect([guarded.settled, guarded.ended, guarded.bulkhead.running()]).toEqual([
        [result],
        [result],
        0,
      ]);
    },
  );

  it.each([
    ["search", 1_000, "cancelled"],
    ["search", 1_001, "failed"],
    ["submission", 2_000, "cancelled"],
    ["submission", 2_001, "failed"],
  ])(
    "a caller's disconnect counts as the insurer's failure only after a third of the call's time limit: %s, %i ms, %s",
    async (kind, milliseconds, result) => {
      const guarded = startGuarded();
      let clock = 0;
      vi.spyOn(performance, "now").mockImplementation(() => clock);
      guarded.world.make = () => {
        clock += milliseconds;
        return fails({ attempt: "cancelled" })();
      };
      await refusalOf(guarded.go(kind === "search" ? searchApplications : createApplication));
      expect(guarded.settled).toEqual([result]);
    },
  );

  it.each([
    ["failed", "failed"],
    ["answered", "answered"],
    ["unusable", "unusable"],
  ] as const)(
    "an attempt that used its whole time limit is recorded with its result and duration: %s is recorded as %s",
    async (attempt, result) => {
      const guarded = startGuarded();
      let clock = 60_000;
      vi.spyOn(performance, "now").mockImplementation(() => clock);
      guarded.world.make = () => {
        clock += 10_000;
        return fails({ attempt })();
      };
      await refusalOf(guarded.go());
      guarded.world.make = async () => {
        clock += 5;
        return answer;
      };
      await guarded.go();
      expect([guarded.settled, guarded.durations]).toEqual([
        [result, "answered"],
        [10_000, 5],
      ]);
    },
  );

  it("a call rejects with exactly the error that its attempt threw", async () => {
    const guarded = startGuarded();
    const fault = new TypeError("A fault");
    guarded.world.make = () => Promise.reject(fault);
    await expect(guarded.go()).rejects.toBe(fault);
  });

  it("the metric of refused answers counts only answers that the gateway refused because no memory was free", async () => {
    const guarded = startGuarded();
    for (const reason of ["answer_bytes", "foreign_answer"]) {
      guarded.world.make = fails({ reason });
      await refusalOf(guarded.go());
    }
    expect(guarded.refusedAnswers()).toBe(1);
  });

  it.each([
    [498.9, "failed"],
    [499, "cancelled"],
  ])(
    "a timeout of an attempt with only 500 ms does not count as the insurer's failure: error after %d ms, recorded as %s",
    async (milliseconds, result) => {
      const guarded = startGuarded();
      let clock = 0;
      vi.spyOn(performance, "now").mockImplementation(() => clock);
      guarded.world.make = () => {
        clock += milliseconds;
        return fails({ attempt: "failed" })();
      };
      await refusalOf(guarded.go(searchApplications, callOf(), () => 500));
      expect(guarded.settled).toEqual([result]);
    },
  );

  it.each([
    ["failed", 10_000, "cancelled"],
    ["failed", 9_000, "failed"],
    ["cancelled", 5_000, "cancelled"],
    ["unusable", 10_000, "unusable"],
  ] as const)(
    "a timeout after a wait for memory does not count as the insurer's failure: %s after %d of 10,000 ms, recorded as %s",
    async (attempt, milliseconds, result) => {
      const guarded = startGuarded();
      let clock = 0;
      vi.spyOn(performance, "now").mockImplementation(() => clock);
      guarded.world.make = ({ waitsForRoom }) => {
        waitsForRoom();
        clock += milliseconds;
        return fails({ attempt })();
      };
      await refusalOf(guarded.go());
      expect(guarded.settled).toEqual([result]);
    },
  );

  const documentEnds: readonly (readonly [string, ExchangeEnd, AttemptResult])[] = [
    ["a complete document", { failure: null, heldUp: false }, "answered"],
    ["a complete document, read slowly", { failure: null, heldUp: true }, "answered"],
    [
      "a broken transfer",
      { failure: new TransportError("body", "failed"), heldUp: false },
      "failed",
    ],
    [
      "a timeout of the insurer",
      { failure: new TransportError("body", "timeout"), heldUp: false },
      "failed",
    ],
    [
      "a timeout while the caller does not read",
      { failure: new TransportError("body", "timeout"), heldUp: true },
      "cancelled",
    ],
    [
      "a cancelled transfer",
      { failure: new TransportError("body", "cancelled"), heldUp: false },
      "cancelled",
    ],
    [
      "a document that is too large",
      { failure: new TransportError("body", "too_large"), heldUp: false },
      "unusable",
    ],
  ];
  it.each(documentEnds)(
    "a document uses its slot until the transfer ends, and the result of the transfer is recorded: %s",
    async (_, end, result) => {
      const guarded = startGuarded();
      const { ended, whenEnded } = createEndListeners();
      guarded.world.make = async () => ({ ...answer, content: Readable.from([]), whenEnded });
      await guarded.go();
      expect([guarded.settled, guarded.bulkhead.running()]).toEqual([[], 1]);
      ended(end);
      await vi.waitFor(() => expect(guarded.bulkhead.running()).toBe(0));
      expect([guarded.settled, guarded.ended]).toEqual([[result], [result]]);
    },
  );

  it("the metrics count each match field in which the answer to a submission differs from the submission", async () => {
    const guarded = startGuarded();
    guarded.world.make = fails({ attempt: "unusable", mismatched: ["/holder/afm", "/plate"] });
    await refusalOf(guarded.go(createApplication));
    expect(guarded.mismatched).toEqual(["/holder/afm", "/plate"]);
  });

  it.each([
    ["outdated, with a replacement", { credentialsOutdated: true }, true, 1, true],
    ["outdated, without a replacement", { credentialsOutdated: true }, false, 1, undefined],
    ["current", { credentialsOutdated: false, credentialsRefused: true }, true, 0, undefined],
  ] as const)(
    "the gateway renews credentials after a 401 only if the insurer's answer shows that the credentials are outdated: %s",
    async (_, details, areOthers, asked, isReplaced) => {
      const guarded = startGuarded();
      let count = 0;
      guarded.shown.give(() => {
        count += 1;
        return areOthers;
      });
      guarded.world.make = fails({ attempt: "unusable", ...details });
      const refusal = await refusalOf(guarded.go());
      expect([count, refusal.details.credentialsReplaced]).toEqual([asked, isReplaced]);
      expect(refusal).toMatchObject({ code: "PROVIDER_UNREACHABLE", details });
    },
  );
});

it("each listener is notified of the end of an exchange exactly once, even if the listener is added after the end", () => {
  const { ended, whenEnded } = createEndListeners();
  const heard: string[] = [];
  for (const name of ["first", "second"]) whenEnded(() => void heard.push(name));
  ended({ failure: null, heldUp: false });
  whenEnded(() => void heard.push("late"));
  expect(heard).toEqual(["first", "second", "late"]);
});
