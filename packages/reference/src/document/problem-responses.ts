import { STATUS_CODES } from "node:http";
import { type Endpoint, kindPolicies } from "@insurance-gateway/core/contract";
import { type ProblemCode, problemCodes } from "@insurance-gateway/core/problems";
import { problemHeaders } from "./headers.ts";
import type { OutcomesByCode, Reference, ResponseObject } from "./open-api.ts";

/** Which endpoints a code can come from. */
type Possible = "any" | "body" | "submission" | "not a submission" | "none";

/** Where each code can come from; routes that are declared are found, so some come from no endpoint. */
const possible: Readonly<Record<ProblemCode, Possible>> = {
  MALFORMED_JSON: "body",
  VALIDATION_FAILED: "any",
  INVALID_REQUEST: "any",
  UNAUTHENTICATED: "any",
  FORBIDDEN: "any",
  NOT_FOUND: "none",
  APPLICATION_NOT_FOUND: "any",
  SUBMISSION_NOT_FOUND: "none",
  METHOD_NOT_ALLOWED: "none",
  NOT_ACCEPTABLE: "any",
  PAYLOAD_TOO_LARGE: "any",
  UNSUPPORTED_MEDIA_TYPE: "body",
  HEADERS_TOO_LARGE: "any",
  SUBMISSION_IN_PROGRESS: "submission",
  DUPLICATE_APPLICATION: "any",
  DOCUMENT_NOT_READY: "any",
  IDEMPOTENCY_KEY_REUSED: "submission",
  PROVIDER_REJECTED: "any",
  BROKER_LIMIT_EXCEEDED: "any",
  RATE_LIMITED: "any",
  INTERNAL_ERROR: "any",
  PROVIDER_BAD_RESPONSE: "any",
  PROVIDER_AUTH_FAILED: "any",
  PROVIDER_UNREACHABLE: "any",
  PROVIDER_UNAVAILABLE: "any",
  OVERLOADED: "any",
  STORE_UNAVAILABLE: "submission",
  PROVIDER_TIMEOUT: "not a submission",
  OUTCOME_UNKNOWN: "submission",
};

/** The problems an endpoint can answer with, as references by status; `collect` gets what they refer to. */
export function problemResponses(
  endpoint: Endpoint,
  collect: (name: string, response: ResponseObject) => void,
): Readonly<Record<string, Reference>> {
  const codes = Object.keys(possible).filter(
    (code): code is ProblemCode => code in problemCodes && canCome(code, endpoint),
  );
  const byStatus = Map.groupBy(codes, (code) => problemCodes[code].status);
  const statuses = [...byStatus].toSorted(([one], [other]) => one - other);
  return Object.fromEntries(
    statuses.map(([status, listed]) => {
      const name = nameOf(status, endpoint);
      collect(name, problemResponse(status, listed));
      return [String(status), { $ref: `#/components/responses/${name}` }];
    }),
  );
}

function canCome(code: string, endpoint: Endpoint): boolean {
  const { actsAtInsurer } = kindPolicies[endpoint.kind];
  const from: Readonly<Record<Possible, boolean>> = {
    any: true,
    body: endpoint.body !== undefined,
    submission: actsAtInsurer,
    "not a submission": !actsAtInsurer,
    none: false,
  };
  return Object.entries(possible).some(([known, where]) => known === code && from[where]);
}

/** The status in words; where endpoints differ in what they can answer with, also which endpoints. */
function nameOf(status: number, endpoint: Endpoint): string {
  const words = (STATUS_CODES[status] ?? String(status)).replaceAll(/[^A-Za-z]/g, "");
  const differs = Object.entries(possible).filter(
    ([code, where]) =>
      where !== "any" && where !== "none" && Reflect.get(problemCodes, code).status === status,
  );
  if (differs.length === 0) return words;
  if (differs.every(([, where]) => where === "body"))
    return endpoint.body === undefined ? words : `${words}OfBody`;
  return kindPolicies[endpoint.kind].actsAtInsurer ? `${words}OfSubmission` : words;
}

function problemResponse(status: number, codes: readonly ProblemCode[]): ResponseObject {
  const outcomes: OutcomesByCode = Object.fromEntries(
    codes.map((code) => {
      const { outcome, retry } = problemCodes[code];
      return [code, { outcome, retry }];
    }),
  );
  return {
    description: codes.map((code) => `\`${code}\`: ${problemCodes[code].title}.`).join("\n\n"),
    headers: problemHeaders(status),
    content: {
      "application/problem+json": {
        schema: { $ref: "#/components/schemas/Problem" },
        examples: Object.fromEntries(codes.map((code) => [code, exampleOf(code)])),
      },
    },
    "x-outcome": outcomes,
  };
}

function exampleOf(code: ProblemCode): { readonly summary: string; readonly value: unknown } {
  const { outcome, retry, status, title } = problemCodes[code];
  return {
    summary: title,
    value: {
      type: `/reference/errors/${code}`,
      title,
      status,
      code,
      detail: `${title}.`,
      requestId: "2c61561a-6cf3-40f7-9306-326226775525",
      provider: null,
      outcome,
      retry,
      ...(code === "VALIDATION_FAILED"
        ? { errors: [{ pointer: "/holder/afm", code: "FORMAT", message: "must be 9 digits" }] }
        : {}),
    },
  };
}
