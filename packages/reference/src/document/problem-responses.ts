import { advicesOf, type ProblemCode, problemCodes } from "@insurance-gateway/core/problems";
import { kindPolicies } from "@insurance-gateway/core/runtime";
import { type OperationFacts, problemHeaders } from "./headers.ts";
import type { ExampleObject, OutcomesByCode, Reference, ResponseObject } from "./open-api.ts";

/** The endpoints that can answer with a code, where not all of them can. */
type Possible = "body" | "submission" | "not a submission" | "none";

/** The codes that not every endpoint can answer with. Some come from none, because a declared route is always found. */
const possible: Partial<Readonly<Record<ProblemCode, Possible>>> = {
  MALFORMED_JSON: "body",
  NOT_FOUND: "none",
  SUBMISSION_NOT_FOUND: "none",
  METHOD_NOT_ALLOWED: "none",
  UNSUPPORTED_MEDIA_TYPE: "body",
  SUBMISSION_IN_PROGRESS: "submission",
  IDEMPOTENCY_KEY_REUSED: "submission",
  STORE_UNAVAILABLE: "submission",
  PROVIDER_TIMEOUT: "not a submission",
  OUTCOME_UNKNOWN: "submission",
};

/** Codes of answers before the routing, which have no provider. */
const beforeRoute: readonly ProblemCode[] = [
  "UNAUTHENTICATED",
  "AUTHENTICATION_UNAVAILABLE",
  "HEADERS_TOO_LARGE",
  "INVALID_REQUEST",
  "OVERLOADED",
];

/** The problems that an endpoint can answer with, as references by status. `collect` receives what they refer to. */
export function problemResponses(
  endpoint: OperationFacts,
  collect: (name: string, response: ResponseObject) => void,
): Readonly<Record<string, Reference>> {
  const byStatus = Map.groupBy(
    allCodes.filter((code) => canCome(code, endpoint)),
    (code) => problemCodes[code].status,
  );
  const statuses = [...byStatus].toSorted(([one], [other]) => one - other);
  return Object.fromEntries(
    statuses.map(([status, codes]) => {
      const name = nameOf(status, endpoint);
      collect(name, problemResponse(status, codes, endpoint));
      return [String(status), { $ref: `#/components/responses/${name}` }];
    }),
  );
}

// The table has every code and nothing else.
const allCodes = Object.keys(problemCodes) as readonly ProblemCode[];

function canCome(code: ProblemCode, endpoint: OperationFacts): boolean {
  const { actsAtInsurer } = kindPolicies[endpoint.kind];
  const from: Readonly<Record<Possible, boolean>> = {
    body: endpoint.hasBody,
    submission: actsAtInsurer,
    "not a submission": !actsAtInsurer,
    none: false,
  };
  const limit = possible[code];
  return limit === undefined || from[limit];
}

/** The status in words. If only some endpoints can answer with it, the text names them. */
function nameOf(status: number, endpoint: OperationFacts): string {
  const words = reasonPhrases[status] ?? `Status${status}`;
  const codes = allCodes.filter((code) => problemCodes[code].status === status);
  const { actsAtInsurer } = kindPolicies[endpoint.kind];
  const ofSubmission = codes.some(
    (code) =>
      possible[code] === "submission" ||
      possible[code] === "not a submission" ||
      JSON.stringify(advicesOf(code, true)) !== JSON.stringify(advicesOf(code, false)),
  );
  if (ofSubmission) return actsAtInsurer ? `${words}OfSubmission` : words;
  const ofBody = codes.some((code) => possible[code] === "body");
  return ofBody && endpoint.hasBody ? `${words}OfBody` : words;
}

/** RFC 9110, section 15, and RFC 6585; Node's own table changes with its version. */
const reasonPhrases: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  406: "NotAcceptable",
  409: "Conflict",
  413: "ContentTooLarge",
  415: "UnsupportedMediaType",
  422: "UnprocessableContent",
  429: "TooManyRequests",
  431: "RequestHeaderFieldsTooLarge",
  500: "InternalServerError",
  502: "BadGateway",
  503: "ServiceUnavailable",
  504: "GatewayTimeout",
};

function problemResponse(
  status: number,
  codes: readonly ProblemCode[],
  endpoint: OperationFacts,
): ResponseObject {
  const { actsAtInsurer } = kindPolicies[endpoint.kind];
  const outcomes: OutcomesByCode = Object.fromEntries(
    codes.map((code) => [code, advicesOf(code, actsAtInsurer)]),
  );
  return {
    description: codes.map((code) => `\`${code}\`: ${problemCodes[code].title}.`).join("\n\n"),
    headers: problemHeaders(status),
    content: {
      "application/problem+json": {
        schema: { $ref: "#/components/schemas/Problem" },
        examples: Object.fromEntries(codes.map((code) => [code, exampleOf(code, endpoint)])),
      },
    },
    "x-outcome": outcomes,
  };
}

function exampleOf(code: ProblemCode, endpoint: OperationFacts): ExampleObject {
  const { status, title } = problemCodes[code];
  const [advice] = advicesOf(code, kindPolicies[endpoint.kind].actsAtInsurer);
  return {
    summary: title,
    value: {
      type: `/reference/errors/${code}`,
      title,
      status,
      code,
      detail: `${title}.`,
      requestId: "2c61561a-6cf3-40f7-9306-326226775525",
      provider: beforeRoute.includes(code) ? null : endpoint.provider,
      ...advice,
      ...(code === "VALIDATION_FAILED" ? { errors: [faultOf(endpoint)] } : {}),
      ...(code === "OUTCOME_UNKNOWN"
        ? { reconciliation: { href: "/submissions/0b0f8f4e-2f53-4a55-9c0a-6a2f0d1c7b11" } }
        : {}),
    },
  };
}

function faultOf({ hasBody }: OperationFacts): object {
  return hasBody
    ? { pointer: "/holder", code: "REQUIRED", message: "is required" }
    : { pointer: "/query/nonsense", code: "UNKNOWN_FIELD", message: "is not known here" };
}
