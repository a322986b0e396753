import type { Endpoint } from "@insurance-gateway/core/contract";
import {
  openRefusal,
  Refusal,
  type Repetition,
  standingOf,
  statusOf,
} from "@insurance-gateway/core/runtime";
import { createApplication } from "@insurance-gateway/provider-d";
import { describe, expect, it } from "vitest";

import { HREF, NOW, recordOf, refusalOf, summaryOf } from "./answer-records.ts";

const { reconcile: _, ...withoutQuery }: Endpoint = createApplication;
const withEqualRequests: Endpoint = { ...createApplication, sameContent: "none" };

// The advice of decisions.md (items 1 and 2) for the same key, the same content without a key, and another key.
const ASK = "Ask for its state at the address in `reconciliation.href`";
const NO_ANSWER = "The insurer may have received the request, and no usable answer came back.";
const BY_HAND =
  "The gateway could not find out whether the insurer acted; the operator has to ask.";
const SAME_KEY = "or send it again with the same Idempotency-Key, which never takes effect twice.";
const table: Readonly<Record<string, readonly [summary: string, detail: string]>> = {
  "in_flight same_key": [
    "409 SUBMISSION_IN_PROGRESS unknown same_key 2 -",
    "The submission with this Idempotency-Key is still running. Nothing was sent a second time. Send it again after Retry-After to get its answer.",
  ],
  "in_flight same_content": [
    `409 SUBMISSION_IN_PROGRESS unknown after_check - ${HREF}`,
    `You sent the same application before, and it is still running. Nothing was sent a second time. ${ASK}. An equal request is not sent again.`,
  ],
  "in_flight other_key": [
    `409 DUPLICATE_APPLICATION not_sent after_check - ${HREF}`,
    `You sent the same application with another Idempotency-Key, and it is still running. This request was not sent. ${ASK} before you decide.`,
  ],
  "outcome_unknown same_key": [
    "504 OUTCOME_UNKNOWN unknown same_key 11 -",
    `${NO_ANSWER} ${ASK}, ${SAME_KEY}`,
  ],
  "outcome_unknown same_content": [
    `504 OUTCOME_UNKNOWN unknown after_check - ${HREF}`,
    `${NO_ANSWER} ${ASK}. An equal request is not sent again.`,
  ],
  "outcome_unknown other_key": [
    `409 DUPLICATE_APPLICATION not_sent after_check - ${HREF}`,
    `You sent the same application with another Idempotency-Key, and its outcome is not known yet. This request was not sent. ${ASK} before you decide.`,
  ],
  "needs_review same_key": [
    "504 OUTCOME_UNKNOWN unknown same_key - -",
    `${NO_ANSWER} ${BY_HAND} ${ASK}, ${SAME_KEY}`,
  ],
  "needs_review same_content": [
    `504 OUTCOME_UNKNOWN unknown after_check - ${HREF}`,
    `${NO_ANSWER} ${BY_HAND} ${ASK}. An equal request is not sent again.`,
  ],
  "needs_review other_key": [
    `409 DUPLICATE_APPLICATION not_sent after_check - ${HREF}`,
    `You sent the same application with another Idempotency-Key, and the operator has to find out whether the insurer acted. This request was not sent. ${ASK} before you decide.`,
  ],
};

describe("answers about an open submission", () => {
  const askers: readonly Repetition[] = ["same_key", "same_content", "other_key"];
  const states = ["in_flight", "outcome_unknown", "needs_review"] as const;
  const rows = states.flatMap((state) => askers.map((asker) => [state, asker] as const));

  it.each(rows)(
    "the gateway refuses a repeated request while the submission is %s, with advice for the kind of repetition: %s",
    (state, asker) => {
      const refusal = refusalOf(recordOf(state), asker, createApplication);
      const [expected, detail] = table[`${state} ${asker}`] ?? [];
      expect(summaryOf(refusal)).toBe(expected);
      expect(refusal.details.detail).toBe(detail);
      expect(refusal.details.reconciliation).toEqual({
        href: HREF,
        endpoint: "searchApplications",
        parameters: { clientAfm: { from: "/holder/afm" } },
      });
    },
  );

  it.each(rows)(
    "the answer about an open submission does not mention a search if the endpoint has no query: %s, %s",
    (state, asker) => {
      const refusal = refusalOf(recordOf(state), asker, withoutQuery);
      const [expected = ""] = table[`${state} ${asker}`] ?? [];
      // The answer has no Retry-After, because no query is planned.
      expect(summaryOf(refusal)).toBe(expected.replace(" 11 ", " - "));
      expect(refusal.details.reconciliation).toEqual({ href: HREF });
    },
  );

  it.each(rows)(
    "the answer about an open submission reports that equal requests are sent if the endpoint does not compare content: %s, %s",
    (state, asker) => {
      const refusal = refusalOf(recordOf(state), asker, withEqualRequests);
      const [, detail = ""] = table[`${state} ${asker}`] ?? [];
      expect(refusal.details.detail).toBe(
        detail.replace(
          "An equal request is not sent again.",
          "An equal request is another submission, and is sent.",
        ),
      );
    },
  );

  it.each([
    [-5_000, "2"],
    [0, "2"],
    [1, "2"],
    [1_000, "2"],
    [1_001, "3"],
    [1_999, "3"],
    [60_000, "61"],
    [null, "-"],
  ])(
    "the `Retry-After` for an open submission is one second longer than the time until the next query, at least 2 seconds: query in %s ms",
    (inMs, seconds) => {
      const nextQueryAt = inMs === null ? null : NOW + inMs;
      const record = recordOf("outcome_unknown", { nextQueryAt });
      expect(summaryOf(refusalOf(record, "same_key", createApplication)).split(" ")[4]).toBe(
        seconds,
      );
    },
  );

  it("the answer about a submission has no `Retry-After` while the submission needs an operator's review", () => {
    const record = recordOf("needs_review", { nextQueryAt: NOW + 10_000 });
    expect(summaryOf(refusalOf(record, "same_key", createApplication)).split(" ")[4]).toBe("-");
  });

  it("the answer about an open submission includes `Proxy-Status` and the mismatched fields of the failed attempt", () => {
    const cause = new Error("reset");
    const observed = new Refusal(
      "PROVIDER_TIMEOUT",
      {
        detail: "x",
        mismatched: ["/holder/afm"],
        headers: { "proxy-status": "gateway; error=connection_terminated", "x-other": "y" },
      },
      cause,
    );
    const standing = { state: "outcome_unknown", nextQueryAt: NOW } as const;
    const facts = { endpoint: createApplication, href: HREF, running: NOW };
    const refusal = openRefusal(standing, "same_key", facts, observed);
    expect(refusal.details.headers).toEqual({
      "proxy-status": "gateway; error=connection_terminated",
      "retry-after": "2",
    });
    expect(refusal.details.mismatched).toEqual(["/holder/afm"]);
    expect(refusal.details.detail).toBe(table["outcome_unknown same_key"]?.[1]);
    expect(refusal.cause).toBe(cause);
  });
});

describe("the lease of a submission", () => {
  it.each([
    [NOW + 1, { state: "in_flight", nextQueryAt: null }],
    [NOW, { state: "outcome_unknown", nextQueryAt: NOW }],
    [NOW - 1, { state: "outcome_unknown", nextQueryAt: NOW }],
  ])(
    "a submission in flight has an unknown outcome if the submission's lease has ended: lease until %s, %o",
    (leaseUntil, expected) => {
      expect(standingOf(recordOf("in_flight", { leaseUntil }), NOW)).toEqual(expected);
      const status = statusOf(
        recordOf("in_flight", { leaseUntil }),
        { at: NOW, running: NOW },
        null,
      );
      expect(status.state).toBe(expected.state);
      const refusal = refusalOf(
        recordOf("in_flight", { leaseUntil }),
        "same_key",
        createApplication,
      );
      expect(refusal.facts.status).toBe(expected.state === "in_flight" ? 409 : 504);
    },
  );

  it.each(["outcome_unknown", "needs_review", "succeeded", "failed"] as const)(
    "a submission that is %s keeps this state when the submission's lease has ended",
    (state) => {
      const record = recordOf(state, { leaseUntil: 0, nextQueryAt: 7 });
      expect(standingOf(record, NOW)).toEqual({ state, nextQueryAt: 7 });
    },
  );
});
