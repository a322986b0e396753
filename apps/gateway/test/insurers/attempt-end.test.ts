import { Readable } from "node:stream";
import { fixedCredentials } from "@insurance-gateway/core/auth";
import type { ExchangeEnd } from "@insurance-gateway/core/transport";
import { createApplication } from "@insurance-gateway/provider-d";
import { expect, it } from "vitest";
import type { Observation } from "../../src/events.ts";
import type { AttemptCall, Call } from "../../src/insurers/call.ts";
import { watchEnd } from "../../src/insurers/exchange/insurer-exchange.ts";
import type { InsurerAccess } from "../../src/insurers/insurer-access.ts";
import { neverOpens } from "../../src/insurers/resilience/breaker.ts";
import { createBulkhead } from "../../src/insurers/resilience/bulkhead.ts";
import { guard } from "../../src/insurers/resilience/guard-insurer.ts";
import { failureOf } from "../../src/operator/logging/failure.ts";
import { accountCallOf, callOf } from "../harness/one-attempt.ts";

const end: ExchangeEnd = { failure: null, heldUp: false };
const fault = new TypeError("fault");

/** Makes an attempt whose end cannot be counted. */
function attemptWith(make: Call<AttemptCall>) {
  const bulkhead = createBulkhead(() => ({ running: 1, queued: 0, queueMs: 10 }));
  const counted: string[] = [];
  const logged: unknown[] = [];
  const observation: Pick<Observation, "attemptEnded"> = {
    attemptEnded({ result }) {
      counted.push(result);
      throw fault;
    },
  };
  const attempt = guard({
    breaker: neverOpens,
    bulkhead,
    logger: { error: (fields) => void logged.push(fields), warn: () => undefined },
    // An attempt that is answered calls this method only.
    observation: observation as Observation,
    observed: ({ kind }) => ({ segment: "provider-d", endpoint: "createApplication", kind }),
    maintainedMs: () => 0,
  })(make);
  const call = accountCallOf(callOf(), {
    credentials: fixedCredentials({
      content: { headers: {}, login: null },
      isReplaced: () => false,
    }),
    // Nothing else of it is read.
    insurer: {
      timeouts: { connectMs: 1_000, totalMs: 1_000, submissionMs: 1_000 },
    } as InsurerAccess,
  });
  return {
    bulkhead,
    counted,
    logged,
    made: attempt(createApplication, { ...call, leftMs: () => 1_000 }),
  };
}

it("every listener gets the end of an exchange once, from before it and after it", () => {
  const { ended, whenEnded } = watchEnd();
  const heard: string[] = [];
  for (const name of ["first", "second"]) whenEnded(() => void heard.push(name));
  ended(end);
  whenEnded(() => void heard.push("late"));
  expect(heard).toEqual(["first", "second", "late"]);
});

it("an attempt that was answered is counted once, also where that fails", async () => {
  const answer = { status: 201, headers: {}, content: "{}" };
  const { bulkhead, counted, made } = attemptWith(async () => answer);
  await expect(made).rejects.toBe(fault);
  expect(counted).toEqual(["answered"]);
  expect(bulkhead.running()).toBe(0);
});

it.each(["before", "after"])(
  "a document that ended %s it was returned is counted once, and a fault of that is logged",
  async (when) => {
    const { ended, whenEnded } = watchEnd();
    const answer = { status: 200, headers: {}, content: Readable.from([]), whenEnded };
    if (when === "before") ended(end);
    const { bulkhead, counted, logged, made } = attemptWith(async () => answer);
    expect(await made).toBe(answer);
    if (when === "after") ended(end);
    expect(counted).toEqual(["answered"]);
    expect(bulkhead.running()).toBe(0);
    expect(logged).toEqual([{ requestId: "request", failure: failureOf(fault) }]);
  },
);
