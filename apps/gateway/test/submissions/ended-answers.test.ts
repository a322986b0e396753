import type { SubmissionState } from "@insurance-gateway/core/runtime";
import {
  alreadyCreated,
  carriedOutUnseen,
  keyReused,
  keyStateUnknown,
  notTaken,
  otherAccount,
  problemAnswer,
  problemOf,
  Refusal,
  statusOf,
  submissionAddress,
  successAnswer,
  withType,
} from "@insurance-gateway/core/runtime";
import { createApplication } from "@insurance-gateway/provider-d";
import { describe, expect, it } from "vitest";
import { createEncryption } from "../../src/store/encryption.ts";
import type { SubmissionRecord } from "../../src/store/record.ts";
import { storeUnavailableRefusal } from "../../src/store/unavailable.ts";
import {
  answerEarlier,
  replayStoredAnswer,
  storedAnswerOf,
} from "../../src/submissions/answers.ts";
import { encryptAnswer } from "../../src/submissions/stored-answer.ts";
import { keyNamed } from "../harness/key-named.ts";
import { RECEIVED_AT, sampleSubmission } from "../harness/store-samples.ts";

import { encryption, HREF, NOW, recordOf, refusalOf, summaryOf } from "./answer-records.ts";

const MOMENT = { at: NOW, running: NOW };

describe("a concluded submission", () => {
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
  const facts = { endpoint: createApplication, href: HREF, running: NOW };

  it.each(["succeeded", "failed"] as const)(
    "the gateway returns the stored answer with the header `Idempotency-Replayed` if the submission has %s",
    (state) => {
      for (const keyId of ["current", "old"])
        for (const asker of ["same_key", "same_content"] as const)
          expect(answerEarlier(ended(state, keyId), asker, facts, encryption)).toEqual({
            ...stored,
            headers: { ...stored.headers, "idempotency-replayed": "true" },
          });
    },
  );

  it.each([
    ["succeeded", "and the stored answer has expired", { answer: null, keyId: null }],
    ["succeeded", "and the key that encrypted the answer is not configured here", { keyId: "x" }],
    ["failed", "and the stored answer has expired", { answer: null, keyId: null }],
    ["failed", "and the key that encrypted the answer is not configured here", { keyId: "x" }],
  ] as const)(
    "the gateway reports that a submission has %s even if the stored answer cannot be used: a submission that was answered %s",
    (state, proof, more) => {
      const refusal = refusalOf({ ...ended(state), ...more }, "same_key", createApplication);
      if (state === "succeeded") {
        expect(summaryOf(refusal)).toBe("502 PROVIDER_BAD_RESPONSE executed never - -");
        expect(refusal.details).toMatchObject({
          detail: `The insurer acted: it was answered before, ${proof}. Its answer was lost; do not send the submission again.`,
          insurerId: "D-1",
          reconciliation: { href: HREF },
        });
      } else {
        expect(summaryOf(refusal)).toBe("422 PROVIDER_REJECTED rejected never - -");
        expect(refusal.details.detail).toBe(
          `The insurer did not accept the submission: it was answered before, ${proof}. You may submit it again, with a new Idempotency-Key if it had one.`,
        );
        expect(refusal.details.reconciliation).toBeUndefined();
      }
    },
  );

  it("the refusal for a lost answer has no `insurerId` if the store does not have the insurer's identifier", () => {
    const { details } = carriedOutUnseen("x", { href: HREF, insurerId: null });
    expect(details).not.toHaveProperty("insurerId");
  });

  it("the gateway cannot decrypt the stored answer of one submission as the answer of another submission", () => {
    const record = { ...ended("succeeded"), id: sampleSubmission().id };
    expect(() => replayStoredAnswer(record, HREF, encryption)).toThrow();
  });

  it("the status of a submission contains the answer if the gateway can decrypt the stored answer", () => {
    const record = ended("succeeded");
    const status = statusOf(record, MOMENT, storedAnswerOf(record, encryption));
    expect(status).toEqual({
      submissionId: record.id,
      provider: "provider-d",
      endpoint: "createApplication",
      state: "succeeded",
      insurerId: "D-1",
      receivedAt: new Date(RECEIVED_AT).toISOString(),
      updatedAt: new Date(RECEIVED_AT + 1_000).toISOString(),
      askAgainAt: null,
      retryAfterSeconds: null,
      answer: { status: 201, body: { applicationId: "D-1" } },
    });
    for (const more of [{ answer: null }, { keyId: null }, { keyId: "x" }])
      expect(statusOf(record, MOMENT, storedAnswerOf({ ...record, ...more }, encryption))).toEqual({
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
    "the status of a submission shows a JSON answer as a value, and any other answer as text: %s",
    (type, content, body) => {
      const record = recordOf("succeeded", { keyId: "current" });
      const headers: Record<string, string> = type === undefined ? {} : { "content-type": type };
      const answer = encryptAnswer(encryption, record.id, { status: 200, headers, content });
      expect(
        statusOf(record, MOMENT, storedAnswerOf({ ...record, answer }, encryption)).answer,
      ).toEqual({
        status: 200,
        body,
      });
    },
  );
});

describe("refusals of submissions", () => {
  it.each<[string, Refusal, string, string]>([
    [
      "a key that was sent before with another body",
      keyReused(),
      "422 IDEMPOTENCY_KEY_REUSED not_sent never - -",
      "This Idempotency-Key was sent before, with another body. This request was not sent: use a new key for a new submission.",
    ],
    [
      "a submission that was sent before to another segment",
      otherAccount("unknown"),
      "422 IDEMPOTENCY_KEY_REUSED unknown never - -",
      "You sent this submission before, to another segment of the provider or through another account. This request was not sent: ask there what became of the earlier one.",
    ],
    [
      "an unavailable store",
      storeUnavailableRefusal(),
      "503 STORE_UNAVAILABLE not_sent safe 2 -",
      "The gateway cannot reach its store of submissions. Try again later.",
    ],
    [
      "an application that the insurer does not have",
      notTaken("it is not there"),
      "422 PROVIDER_REJECTED rejected never - -",
      "The insurer did not accept the submission: it is not there. You may submit it again, with a new Idempotency-Key if it had one.",
    ],
    [
      "an application that this caller created before",
      alreadyCreated(HREF),
      `409 DUPLICATE_APPLICATION rejected never - ${HREF}`,
      "The insurer answered with an application that an earlier, equal submission created. It created nothing new.",
    ],
    [
      "an application that another caller created before",
      alreadyCreated(null),
      "409 DUPLICATE_APPLICATION rejected never - -",
      "The insurer answered with an application that an earlier, equal submission created. It created nothing new.",
    ],
  ])(
    "the refusal of a submission has the documented code, outcome and text: %s",
    (_, refusal, expected, detail) => {
      expect(summaryOf(refusal)).toBe(expected);
      expect(refusal.details.detail).toBe(detail);
      const { reconciliation } = problemOf(refusal, {
        requestId: "r",
        provider: null,
        pages: null,
      });
      expect(reconciliation).toEqual(expected.endsWith(HREF) ? { href: HREF } : undefined);
    },
  );
});

describe("a refusal of a request with a key whose record cannot be read", () => {
  const unread =
    "x This request was not sent. The gateway does not know whether an earlier request with this Idempotency-Key was sent.";
  it.each([
    ["OVERLOADED", "unknown", "same_key", unread],
    ["UNAUTHENTICATED", "unknown", "never", unread],
    ["PROVIDER_REJECTED", "rejected", "never", "x"],
    ["OUTCOME_UNKNOWN", "unknown", "same_key", "x"],
  ] as const)(
    "a refusal with the code %s has the outcome `%s` and the advice `%s` if the record of the request's key cannot be read",
    (code, outcome, retry, detail) => {
      const cause = new Error("y");
      const headers = { "retry-after": "7" };
      const refusal = keyStateUnknown(new Refusal(code, { detail: "x", headers }, cause));
      expect(refusal).toMatchObject({ code, cause });
      expect(refusal.facts).toMatchObject({ outcome, retry });
      expect(refusal.details).toMatchObject({ detail, headers });
    },
  );
});

describe("stored answers", () => {
  it("the stored answer of a success has the submission's address in `Location`", () => {
    const answer = { status: 201, content: "{}", insurerId: "D-1" };
    const headers = { "content-type": "application/json", location: "https://insurer.example" };
    expect(successAnswer(answer, headers, HREF)).toEqual({
      status: 201,
      headers: { "content-type": "application/json", location: HREF },
      content: "{}",
    });
  });

  it("a stored problem has no `type`, and the gateway adds the `type` before it returns the problem", () => {
    const place = { provider: "provider-d", requestId: "r-1" };
    const refusal = new Refusal("PROVIDER_REJECTED", { detail: "x" });
    const stored = problemAnswer(refusal, place);
    expect(stored.content).not.toContain("type");
    for (const pages of ["https://gateway.example/reference/errors/", null])
      expect(withType(stored, pages)).toBe(JSON.stringify(problemOf(refusal, { ...place, pages })));
  });

  it("a stored problem has `Cache-Control: no-store`, and keeps `Location` and `Proxy-Status`", () => {
    const headers = { "proxy-status": "a; error=b", location: HREF, "retry-after": "3" };
    const refusal = new Refusal("DUPLICATE_APPLICATION", { detail: "x", headers });
    const place = { provider: "provider-d", requestId: "r-1" };
    expect(problemAnswer(refusal, place)).toEqual({
      status: 409,
      headers: {
        "content-type": "application/problem+json; charset=utf-8",
        "cache-control": "no-store",
        "proxy-status": "a; error=b",
        location: HREF,
      },
      content: expect.stringMatching(/^\{"title":/),
      problem: { code: "DUPLICATE_APPLICATION", outcome: "rejected" },
    });
    const plain = problemAnswer(new Refusal("PROVIDER_REJECTED", { detail: "x" }), place);
    expect(Object.keys(plain.headers)).toEqual(["content-type", "cache-control"]);
  });

  it("the address of a submission begins with the gateway's base path", () => {
    expect(submissionAddress("/broker", "abc")).toBe("/broker/submissions/abc");
  });
});
