import { type ProblemCode, problemCodes } from "@insurance-gateway/core/problems";
import { exampleProblem } from "./example-problem.ts";
import { type OperationFacts, problemHeaders } from "./headers.ts";
import type { OutcomesByCode, Reference, ResponseObject } from "./open-api.ts";

const PAGES_OF_CODES = "https://gateway.example/reference/errors/";

/** Codes whose problems contain the address of a submission's state. */
const codesWithStateLink: readonly ProblemCode[] = [
  "OUTCOME_UNKNOWN",
  "SUBMISSION_IN_PROGRESS",
  "DUPLICATE_APPLICATION",
];

/** The links of an answer to the gateway's own operation that reads the state of a submission. */
export const stateLinks: NonNullable<ResponseObject["links"]> = {
  state: {
    operationRef: "../../gateway/openapi.json#/paths/~1submissions~1%7BsubmissionId%7D/get",
    description:
      "`Location`, and `reconciliation.href` of a problem, is the path of this operation for the submission. Send GET with the same token; no insurer is called.",
  },
};

/**
 * Returns the possible problems of an endpoint, by status, as references to the collected responses.
 * @param collect - receives a response with a proposed name, and returns its final name
 */
export function problemResponses(
  endpoint: OperationFacts,
  problems: OutcomesByCode,
  collect: (name: string, response: ResponseObject) => string,
): Readonly<Record<string, Reference>> {
  const byStatus = Map.groupBy(
    allCodes.filter((code) => Object.hasOwn(problems, code)),
    (code) => problemCodes[code].status,
  );
  const statuses = [...byStatus].toSorted(([one], [other]) => one - other);
  return Object.fromEntries(
    statuses.map(([status, codes]) => {
      const words = reasonPhrases[status] ?? `Status${status}`;
      const outcomes = Object.fromEntries(codes.map((code) => [code, problems[code] ?? []]));
      const name = collect(words, problemResponse(status, outcomes, endpoint));
      return [String(status), { $ref: `#/components/responses/${name}` }];
    }),
  );
}

// `Object.keys` returns strings. The keys of `problemCodes` are exactly the problem codes.
const allCodes = Object.keys(problemCodes) as readonly ProblemCode[];

/**
 * The reason phrases of RFC 9110, section 15, and RFC 6585. The table in Node.js changes with the version of Node.js.
 */
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
  outcomes: OutcomesByCode,
  endpoint: OperationFacts,
): ResponseObject {
  const codes = allCodes.filter((code) => Object.hasOwn(outcomes, code));
  return {
    description: codes.map((code) => `\`${code}\`: ${problemCodes[code].title}.`).join("\n\n"),
    headers: problemHeaders(status),
    ...(codes.some((code) => codesWithStateLink.includes(code)) ? { links: stateLinks } : {}),
    content: {
      "application/problem+json": {
        schema: { $ref: "#/components/schemas/Problem" },
        examples: Object.fromEntries(
          codes.map((code) => [
            code,
            {
              summary: problemCodes[code].title,
              value: exampleProblem(code, PAGES_OF_CODES, endpoint, outcomes[code]?.[0]),
            },
          ]),
        ),
      },
    },
    "x-outcome": outcomes,
  };
}
