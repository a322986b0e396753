import type { Endpoint } from "@insurance-gateway/core/contract";
import { createApplication } from "@insurance-gateway/provider-d";
import { describe, expect, it } from "vitest";
import { problemOf } from "../../src/problems/problem.ts";
import { Refusal } from "../../src/problems/refusal.ts";
import type { SubmissionRecord, SubmissionState } from "../../src/store/record.ts";
import {
  type Asker,
  alreadyCreated,
  answerEarlier,
  carriedOutUnseen,
  keyReused,
  keyStateUnknown,
  notTaken,
  openRefusal,
  otherConnection,
  replay,
  standingOf,
  statusOf,
  storeUnavailable,
  submissionAddress,
} from "../../src/submissions/answers.ts";
import { createEncryption } from "../../src/submissions/encryption.ts";
import {
  encryptAnswer,
  problemAnswer,
  successAnswer,
} from "../../src/submissions/stored-answer.ts";
import { RECEIVED_AT, sampleSubmission } from "../harness/store-samples.ts";
import { keyNamed } from "../harness/transfer-between.ts";

const NOW = RECEIVED_AT + 30_000;
const HREF = "/broker/submissions/0b0f8f4e-2f53-4a55-9c0a-6a2f0d1c7b11";
const encryption = createEncryption([keyNamed("current"), keyNamed("old")]);

const { reconcile: _, ...withoutQuery }: Endpoint = createApplication;
const withEqualRequests: Endpoint = { ...createApplication, sameContent: "none" };

/** A record in a state, its next query planned for ten seconds from now. */
function recordOf(state: SubmissionState, more: Partial<SubmissionRecord> = {}): SubmissionRecord {
  return {
    ...sampleSubmission({ leaseUntil: NOW + 1 }),
    keyId: null,
    state,
    fence: 1,
    updatedAt: RECEIVED_AT + 1_000,
    unknownAt: null,
    insurerId: null,
    answer: null,
    queries: 0,
    nextQueryAt: state === "outcome_unknown" ? NOW + 10_000 : null,
    ...more,
  };
}

function refusalOf(record: SubmissionRecord, asker: Asker, endpoint: Endpoint): Refusal {
  try {
    answerEarlier(record, asker, { endpoint, href: HREF, now: NOW }, encryption);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  return expect.fail("It was answered");
}

/** What a problem says in one line: status, code, outcome, retry, and the headers. */
function said(refusal: Refusal): string {
  const { code, details, facts } = refusal;
  const { "retry-after": retryAfter = "-", location = "-" } = details.headers ?? {};
  return [facts.status, code, facts.outcome, facts.retry, retryAfter, location].join(" ");
}

// What decisions.md says of the same key later, of the same content without a key, and of another key (items 1 and 2).
const ASK = "Ask for its state at the address in `reconciliation.href`";
const NO_ANSWER = "The insurer may have received the request, and no usable answer came back.";
const BY_HAND =
  "The gateway could not find out whether the insurer acted; the operator has to ask.";
const SAME_KEY =
  "or send it again with the same Idempotency-Key: the insurer never carries it out twice.";
const table: Readonly<Record<string, readonly [said: string, detail: string]>> = {
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

describe("an open submission that is asked for", () => {
  const askers: readonly Asker[] = ["same_key", "same_content", "other_key"];
  const states = ["in_flight", "outcome_unknown", "needs_review"] as const;
  const rows = states.flatMap((state) => askers.map((asker) => [state, asker] as const));

  it.each(rows)("%s, by the sender of the %s", (state, asker) => {
    const refusal = refusalOf(recordOf(state), asker, createApplication);
    const [expected, detail] = table[`${state} ${asker}`] ?? [];
    expect(said(refusal)).toBe(expected);
    expect(refusal.details.detail).toBe(detail);
    expect(refusal.details.reconciliation).toEqual({
      href: HREF,
      endpoint: "searchApplications",
      parameters: { clientAfm: { from: "/holder/afm" } },
    });
  });

  it.each(rows)("%s, by the sender of the %s, of an endpoint without a query", (state, asker) => {
    const refusal = refusalOf(recordOf(state), asker, withoutQuery);
    const [expected = ""] = table[`${state} ${asker}`] ?? [];
    // Nothing is planned after which asking again would help.
    expect(said(refusal)).toBe(expected.replace(" 11 ", " - "));
    expect(refusal.details.reconciliation).toEqual({ href: HREF });
  });

  it.each(rows)("%s, by the sender of the %s, where equal requests are usual", (state, asker) => {
    const refusal = refusalOf(recordOf(state), asker, withEqualRequests);
    const [, detail = ""] = table[`${state} ${asker}`] ?? [];
    expect(refusal.details.detail).toBe(
      detail.replace(
        "An equal request is not sent again.",
        "An equal request is another submission, and is sent.",
      ),
    );
  });

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
    "says to ask again a second after the next query, which is in %s milliseconds",
    (inMs, seconds) => {
      const nextQueryAt = inMs === null ? null : NOW + inMs;
      const record = recordOf("outcome_unknown", { nextQueryAt });
      expect(said(refusalOf(record, "same_key", createApplication)).split(" ")[4]).toBe(seconds);
    },
  );

  it("says nothing of when to ask again while a person has to look", () => {
    const record = recordOf("needs_review", { nextQueryAt: NOW + 10_000 });
    expect(said(refusalOf(record, "same_key", createApplication)).split(" ")[4]).toBe("-");
  });

  it("passes on what its own attempt showed", () => {
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
    const facts = { endpoint: createApplication, href: HREF, now: NOW };
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

describe("a submission whose lease", () => {
  it.each([
    [NOW + 1, { state: "in_flight", nextQueryAt: null }],
    [NOW, { state: "outcome_unknown", nextQueryAt: NOW }],
    [NOW - 1, { state: "outcome_unknown", nextQueryAt: NOW }],
  ])("ends at %s has this state now: %o", (leaseUntil, expected) => {
    expect(standingOf(recordOf("in_flight", { leaseUntil }), NOW)).toEqual(expected);
    const status = statusOf(recordOf("in_flight", { leaseUntil }), NOW, encryption);
    expect(status.state).toBe(expected.state);
    const refusal = refusalOf(recordOf("in_flight", { leaseUntil }), "same_key", createApplication);
    expect(refusal.facts.status).toBe(expected.state === "in_flight" ? 409 : 504);
  });

  it.each(["outcome_unknown", "needs_review", "succeeded", "failed"] as const)(
    "is over and that is %s stays so",
    (state) => {
      const record = recordOf(state, { leaseUntil: 0, nextQueryAt: 7 });
      expect(standingOf(record, NOW)).toEqual({ state, nextQueryAt: 7 });
    },
  );
});

describe("a submission that ended", () => {
  const stored = {
    status: 201,
    headers: { "content-type": "application/json; charset=utf-8", location: HREF },
    content: '{"applicationId":"D-1"}',
  };
  const ended = (state: SubmissionState, keyId = "current"): SubmissionRecord => {
    const record = recordOf(state, { insurerId: "D-1", keyId });
    const by = createEncryption([keyNamed(keyId)]);
    return { ...record, answer: encryptAnswer(by, record.id, stored) };
  };
  const facts = { endpoint: createApplication, href: HREF, now: NOW };

  it.each(["succeeded", "failed"] as const)("as %s is answered again, marked as such", (state) => {
    for (const keyId of ["current", "old"])
      for (const asker of ["same_key", "same_content"] as const)
        expect(answerEarlier(ended(state, keyId), asker, facts, encryption)).toEqual({
          ...stored,
          headers: { ...stored.headers, "idempotency-replayed": "true" },
        });
  });

  it.each([
    ["succeeded", "longer ago than answers are stored", { answer: null, keyId: null }],
    ["succeeded", "and the key that encrypted the answer is not configured here", { keyId: "x" }],
    ["failed", "longer ago than answers are stored", { answer: null, keyId: null }],
    ["failed", "and the key that encrypted the answer is not configured here", { keyId: "x" }],
  ] as const)("as %s says what is known of it without its answer: %s", (state, proof, more) => {
    const refusal = refusalOf({ ...ended(state), ...more }, "same_key", createApplication);
    if (state === "succeeded") {
      expect(said(refusal)).toBe("502 PROVIDER_BAD_RESPONSE executed never - -");
      expect(refusal.details).toMatchObject({
        detail: `The insurer acted: it was answered before, ${proof}. Its answer was lost; do not send it again.`,
        insurerId: "D-1",
        reconciliation: { href: HREF },
      });
    } else {
      expect(said(refusal)).toBe("422 PROVIDER_REJECTED rejected never - -");
      expect(refusal.details.detail).toBe(
        `The insurer did not take it: it was answered before, ${proof}. It may be submitted again; if it had an Idempotency-Key, with a new one.`,
      );
      expect(refusal.details.reconciliation).toBeUndefined();
    }
  });

  it("names no insurer's identifier that it does not know", () => {
    const { details } = carriedOutUnseen("x", { href: HREF, insurerId: null });
    expect(details).not.toHaveProperty("insurerId");
  });

  it("is not decrypted for another submission", () => {
    const record = { ...ended("succeeded"), id: sampleSubmission().id };
    expect(() => replay(record, HREF, encryption)).toThrow();
  });

  it("has a status with its answer, as long as that can be read", () => {
    const record = ended("succeeded");
    const status = statusOf(record, NOW, encryption);
    expect(status).toEqual({
      submissionId: record.id,
      provider: "provider-d",
      endpoint: "createApplication",
      state: "succeeded",
      insurerId: "D-1",
      receivedAt: new Date(RECEIVED_AT).toISOString(),
      updatedAt: new Date(RECEIVED_AT + 1_000).toISOString(),
      answer: { status: 201, body: { applicationId: "D-1" } },
    });
    for (const more of [{ answer: null }, { keyId: null }, { keyId: "x" }])
      expect(statusOf({ ...record, ...more }, NOW, encryption)).toEqual({
        ...status,
        answer: null,
      });
  });

  it.each([
    ["application/problem+json; charset=utf-8", '{"a":1}', { a: 1 }],
    ["application/json", "[1]", [1]],
    ["application/xml; charset=utf-8", "<a/>", "<a/>"],
    [undefined, '{"a":1}', '{"a":1}'],
    [undefined, "", null],
    ["application/json", "", null],
  ])(
    "has a status whose body is the value of JSON, and otherwise the text: %s",
    (type, content, body) => {
      const record = recordOf("succeeded", { keyId: "current" });
      const headers: Record<string, string> = type === undefined ? {} : { "content-type": type };
      const answer = encryptAnswer(encryption, record.id, { status: 200, headers, content });
      expect(statusOf({ ...record, answer }, NOW, encryption).answer).toEqual({
        status: 200,
        body,
      });
    },
  );
});

describe("a request that is another submission, or none", () => {
  it.each<[string, Refusal, string, string]>([
    [
      "of a key that was sent before",
      keyReused(),
      "422 IDEMPOTENCY_KEY_REUSED not_sent never - -",
      "This Idempotency-Key was sent before, with another body. This request was not sent: use a new key for a new submission.",
    ],
    [
      "to another segment",
      otherConnection(),
      "422 IDEMPOTENCY_KEY_REUSED not_sent never - -",
      "You sent this submission before, to another segment of the provider or through another connection. This request was not sent: send it there, or with a new Idempotency-Key after the earlier one is concluded.",
    ],
    [
      "without a store",
      storeUnavailable(),
      "503 STORE_UNAVAILABLE not_sent safe 2 -",
      "The gateway cannot reach its store of submissions. Try again later.",
    ],
    [
      "that the insurer did not take",
      notTaken("it is not there"),
      "422 PROVIDER_REJECTED rejected never - -",
      "The insurer did not take it: it is not there. It may be submitted again; if it had an Idempotency-Key, with a new one.",
    ],
    [
      "that the insurer knows from this caller",
      alreadyCreated(HREF),
      `409 DUPLICATE_APPLICATION rejected never - ${HREF}`,
      "The insurer answered with an application that an earlier, equal submission created. It created nothing new.",
    ],
    [
      "that the insurer knows from another caller",
      alreadyCreated(null),
      "409 DUPLICATE_APPLICATION rejected never - -",
      "The insurer answered with an application that an earlier, equal submission created. It created nothing new.",
    ],
  ])("%s", (_, refusal, expected, detail) => {
    expect(said(refusal)).toBe(expected);
    expect(refusal.details.detail).toBe(detail);
    const { reconciliation } = problemOf(refusal, { requestId: "r", provider: null, basePath: "" });
    expect(reconciliation).toEqual(expected.endsWith(HREF) ? { href: HREF } : undefined);
  });
});

describe("a refusal of a request with a key whose record cannot be read", () => {
  const unread =
    "x This request was not sent. The gateway does not know whether an earlier request with this Idempotency-Key was sent.";
  it.each([
    ["OVERLOADED", "unknown", "same_key", unread],
    ["UNAUTHENTICATED", "unknown", "never", unread],
    ["PROVIDER_REJECTED", "rejected", "never", "x"],
    ["OUTCOME_UNKNOWN", "unknown", "same_key", "x"],
  ] as const)("%s is %s, and %s", (code, outcome, retry, detail) => {
    const cause = new Error("y");
    const headers = { "retry-after": "7" };
    const refusal = keyStateUnknown(new Refusal(code, { detail: "x", headers }, cause));
    expect(refusal).toMatchObject({ code, cause });
    expect(refusal.facts).toMatchObject({ outcome, retry });
    expect(refusal.details).toMatchObject({ detail, headers });
  });
});

describe("an answer that is stored", () => {
  it("is a success with the submission's own address", () => {
    const answer = { status: 201, content: "{}", insurerId: "D-1" };
    const headers = { "content-type": "application/json", location: "https://insurer.example" };
    expect(successAnswer(answer, headers, HREF)).toEqual({
      status: 201,
      headers: { "content-type": "application/json", location: HREF },
      content: "{}",
    });
  });

  it("is a problem as it is answered, never cached", () => {
    const headers = { "proxy-status": "a; error=b", location: HREF, "retry-after": "3" };
    const refusal = new Refusal("DUPLICATE_APPLICATION", { detail: "x", headers });
    const place = { provider: "provider-d", requestId: "r-1" };
    expect(problemAnswer(refusal, place, "/broker")).toEqual({
      status: 409,
      headers: {
        "content-type": "application/problem+json; charset=utf-8",
        "cache-control": "no-store",
        "proxy-status": "a; error=b",
        location: HREF,
      },
      content: JSON.stringify(problemOf(refusal, { ...place, basePath: "/broker" })),
      problem: { code: "DUPLICATE_APPLICATION", outcome: "rejected" },
    });
    const plain = problemAnswer(new Refusal("PROVIDER_REJECTED", { detail: "x" }), place, "");
    expect(Object.keys(plain.headers)).toEqual(["content-type", "cache-control"]);
  });

  it("has an address below the gateway's own path", () => {
    expect(submissionAddress("/broker", "abc")).toBe("/broker/submissions/abc");
  });
});
