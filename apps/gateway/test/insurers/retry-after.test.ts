import type { InsurerResponse } from "@insurance-gateway/adapter";
import type { Endpoint, FailureCode, FailureRow } from "@insurance-gateway/core/contract";
import {
  documentNotReady,
  type InsurerRefusal,
  refusalOfAnswer,
  refusalOfBadAnswer,
  retryAfterIn,
} from "@insurance-gateway/core/runtime";
import { afterEach, expect, it, vi } from "vitest";

afterEach(() => vi.restoreAllMocks());

const NOW = Date.parse("2026-11-23T10:00:00Z");
const lookup: Endpoint = {
  provider: "provider-x",
  path: "/things",
  kind: "lookup",
  method: "GET",
  response: {},
};

it.each([
  ["0", 0],
  ["7", 7],
  ["999999999", 999_999_999],
  ["1000000000", null],
  ["", null],
  ["-1", null],
  ["1.5", null],
  ["7 ", null],
  ["soon", null],
  ["Mon, 23 Nov 2026 10:00:30 GMT", 30],
  ["Mon, 23 Nov 2026 10:00:00 GMT", 0],
  ["Mon, 23 Nov 2026 09:00:00 GMT", 0],
  ["Mon, 99 Nov 2026 10:00:00 GMT", null],
  ["2026-11-23T10:00:30Z", null],
  ["Monday, 23-Nov-26 10:00:30 GMT", null],
])(
  "the gateway reads a Retry-After in whole seconds, and ignores an invalid value: %s is read as %s",
  (text, seconds) => {
    vi.spyOn(Date, "now").mockReturnValue(NOW);
    expect(retryAfterIn(text)).toBe(seconds);
  },
);

it("the gateway rounds the time until a Retry-After date up to a whole second", () => {
  vi.spyOn(Date, "now").mockReturnValue(NOW + 1);
  expect(retryAfterIn("Mon, 23 Nov 2026 10:00:30 GMT")).toBe(30);
  expect(retryAfterIn("Mon, 23 Nov 2026 10:00:00 GMT")).toBe(0);
});

const response = (value?: string): InsurerResponse =>
  ({
    status: 200,
    headers: value === undefined ? {} : { "retry-after": value },
  }) as InsurerResponse; // only these members are read

it.each([
  [undefined, "5"],
  ["nonsense", "5"],
  ["0", "0"],
  ["59", "59"],
  ["60", "60"],
  ["61", "60"],
])(
  "the Retry-After for a document that is not ready is the insurer's value up to 60 s, or 5 s by default: %j becomes %s",
  (given, expected) => {
    expect(documentNotReady(response(given)).details.headers).toEqual({
      "proxy-status": "insurance-gateway; received-status=200",
      "retry-after": expected,
    });
  },
);

function refused(status: number, retryAfterSeconds: number | null, code?: FailureCode) {
  const row: FailureRow | undefined =
    code === undefined ? undefined : { status, code, outcome: "rejected", why: "The manual." };
  const refusal: InsurerRefusal = {
    status,
    row,
    faults: [],
    retryAfterSeconds,
    isForeign: false,
    stage: "acting",
  };
  const { details } = refusalOfAnswer(lookup, refusal);
  return [details.headers?.["retry-after"], details.retryAfterSeconds, details.attempt];
}

it.each([
  // A `failures` row that means "later" always sets Retry-After; the insurer's value applies only with 429 or 503.
  [429, 7, "TOO_MANY", ["7", 7, "answered"]],
  [503, 7, "PROVIDER_UNAVAILABLE", ["7", 7, "failed"]],
  [400, 7, "TOO_MANY", ["7", null, "answered"]],
  [429, null, "TOO_MANY", ["5", null, "answered"]],
  [500, null, "PROVIDER_REJECTED", [undefined, null, "answered"]],
  [500, null, "DOCUMENT_NOT_READY", ["5", null, "answered"]],
  [500, null, "PROVIDER_UNAVAILABLE", ["5", null, "failed"]],
  [499, null, "PROVIDER_UNAVAILABLE", ["5", null, "answered"]],
  [429, 7, "CONFLICT", [undefined, 7, "answered"]],
  [429, 7, undefined, ["7", 7, "unusable"]],
  [503, 61, undefined, ["60", 61, "failed"]],
  [503, null, undefined, [undefined, null, "failed"]],
  [502, 7, undefined, [undefined, null, "failed"]],
  [408, 7, undefined, [undefined, null, "failed"]],
  [404, 7, undefined, [undefined, null, "unusable"]],
] as const)(
  "the Retry-After of a problem depends on the insurer's status and Retry-After, and on the `failures` row: %i, %s s, %s",
  (status, seconds, code, expected) => {
    expect(refused(status, seconds, code)).toEqual(expected);
  },
);

it.each([
  [200, false, "unusable"],
  [200, true, "failed"],
  [408, false, "failed"],
  [499, false, "unusable"],
  [500, false, "failed"],
])(
  "the status of an unusable answer determines whether the insurer failed: status %i, from another server %s, result %s",
  (received, isForeign, attempt) => {
    const refusal = refusalOfBadAnswer(lookup, {
      detail: "",
      received,
      insurerId: null,
      isForeign,
    });
    expect([refusal.code, refusal.details.attempt]).toEqual(["PROVIDER_BAD_RESPONSE", attempt]);
    expect(refusal.details.headers).toEqual({
      "proxy-status": `insurance-gateway; received-status=${received}`,
    });
  },
);
