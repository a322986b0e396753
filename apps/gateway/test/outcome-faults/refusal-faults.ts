import { kinds } from "./book.ts";
import { actingOrNot, type Fault, type ResponseChanges, response } from "./fault.ts";
import type { Conduct } from "./insurer.ts";

const HTML = "<!doctype html><title>Denied</title><h1>Request denied</h1><p>Support ID: 4711</p>";
const PROBLEM = "application/problem+json";

const statuses: readonly number[] = [
  400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422,
  423, 424, 425, 426, 428, 429, 431, 451, 499, 500, 501, 502, 503, 504, 505, 507, 511, 520, 599,
];

/** Refusals of the declared contract: each code with the statuses that it fits. */
const documented: Readonly<Record<string, readonly number[]>> = {
  VALIDATION_FAILED: [400, 422],
  PROVIDER_REJECTED: [400, 422],
  INVALID_REQUEST: [400],
  BROKER_LIMIT_EXCEEDED: [422],
  DUPLICATE_APPLICATION: [409],
  RATE_LIMITED: [429],
  PROVIDER_UNAVAILABLE: [503],
};

/** Refusals that prove nothing, because they have no code of the contract in the contract's form. */
const proofless: Readonly<Record<string, ResponseChanges>> = {
  "no body": { body: "", mediaType: null },
  "an empty object": { body: "{}", mediaType: "application/json" },
  "a firewall's page": { body: HTML, mediaType: "text/html" },
};

const undeclared: readonly Fault[] = statuses.flatMap((status) => [
  ...Object.entries(proofless).flatMap(([what, changes]) =>
    actingOrNot(`answers ${status} with ${what}`, {
      answer: (honest) => [response(honest, { ...changes, status })],
    }),
  ),
  ...actingOrNot(`answers ${status} with a problem whose code does not fit the status`, {
    answer: (honest) => [response(honest, problem(status, unfitFor(status)))],
  }),
]);

/** Refusals that look like refusals of the declared contract, but have a difference. */
const lookalikes: Readonly<Record<string, ResponseChanges>> = {
  "422 with a code in plain JSON": {
    ...problem(422, "PROVIDER_REJECTED"),
    mediaType: "application/json",
  },
  "422 with a code as text": { ...problem(422, "PROVIDER_REJECTED"), mediaType: "text/plain" },
  "422 with a code and no media type": { ...problem(422, "PROVIDER_REJECTED"), mediaType: null },
  "422 with a problem without a code": {
    ...problem(422, ""),
    body: '{"type":"about:blank","title":"Unprocessable","status":422}',
  },
  "422 with a code in small letters": problem(422, "provider_rejected"),
  "422 with an HTML page labelled as a problem": { status: 422, mediaType: PROBLEM, body: HTML },
  "422 with a broken problem": { status: 422, mediaType: PROBLEM, body: '{"code":"PROVIDER_REJ' },
  "422 with a list of codes": {
    status: 422,
    mediaType: PROBLEM,
    body: '{"code":["PROVIDER_REJECTED"]}',
  },
  "422 with the code in a list": {
    status: 422,
    mediaType: PROBLEM,
    body: '[{"code":"PROVIDER_REJECTED"}]',
  },
  "422 with the code constructor": problem(422, "constructor"),
  "422 with the code __proto__": problem(422, "__proto__"),
  "422 with the code toString": problem(422, "toString"),
  "422 with the code hasOwnProperty": problem(422, "hasOwnProperty"),
  "409 with the gateway's own SUBMISSION_IN_PROGRESS": problem(409, "SUBMISSION_IN_PROGRESS"),
  "422 with the gateway's own IDEMPOTENCY_KEY_REUSED": problem(422, "IDEMPOTENCY_KEY_REUSED"),
  "503 with the gateway's own OVERLOADED": problem(503, "OVERLOADED"),
  "502 with the gateway's own PROVIDER_UNREACHABLE": problem(502, "PROVIDER_UNREACHABLE"),
  "504 with the gateway's own OUTCOME_UNKNOWN": problem(504, "OUTCOME_UNKNOWN"),
  "503 with an outcome in the body": {
    status: 503,
    mediaType: PROBLEM,
    body: '{"code":"X","outcome":"not_sent","retry":"safe"}',
  },
  "200 with a refusal in its body": {
    status: 200,
    mediaType: PROBLEM,
    body: '{"code":"PROVIDER_REJECTED","status":422}',
  },
  "201 with a refusal in its body": {
    status: 201,
    mediaType: "application/json",
    body: '{"code":"PROVIDER_REJECTED","status":422}',
  },
};

const redirects: readonly Fault[] = [300, 301, 302, 303, 304, 305, 307, 308, 399].flatMap(
  (status) =>
    ["/api/applications", "/api/applications/search?clientAfm=000000001", ""].flatMap((location) =>
      actingOrNot(`redirects with ${status} to ${location === "" ? "no location" : location}`, {
        answer: (honest) => [
          response(honest, {
            status,
            body: "",
            headers: location === "" ? [] : [`Location: ${location}`],
          }),
        ],
      }),
    ),
);

/** True refusals with the contract's own codes. */
const proved: readonly Fault[] = Object.entries(documented).flatMap(([code, fits]) =>
  fits.map(
    (status): Fault => ({
      name: `refuses with ${status} ${code}`,
      kinds,
      conduct: {
        acts: false,
        answer: (honest) => [response(honest, problem(status, code))],
      },
      certain: "rejected",
    }),
  ),
);

const credentials: readonly Fault[] = [
  ...(
    [
      [401, "UNAUTHENTICATED"],
      [403, "FORBIDDEN"],
    ] as const
  ).map(
    ([status, code]): Fault => ({
      name: `does nothing and refuses the credentials with ${status} ${code}`,
      kinds,
      conduct: {
        acts: false,
        answer: (honest) => [response(honest, problem(status, code))],
      },
    }),
  ),
  ...["text/html", "application/json"].flatMap((mediaType): readonly Fault[] => {
    const name = `is behind a proxy that refuses with 407 as ${mediaType}`;
    const answer: Conduct["answer"] = (honest) => [
      response(honest, { status: 407, mediaType, body: "{}" }),
    ];
    const reads = kinds.filter((kind) => kind !== "submission");
    return [
      { name, kinds: reads, conduct: { acts: false, byProxy: true, answer } },
      { name: `${name} after it acted`, kinds: ["submission"], conduct: { answer } },
    ];
  }),
];

/** Refusals and redirects of an insurer. */
export const refusalFaults: readonly Fault[] = [
  ...proved,
  ...credentials,
  ...undeclared,
  ...Object.entries(lookalikes).flatMap(([what, changes]) =>
    actingOrNot(`answers ${what}`, { answer: (honest) => [response(honest, changes)] }),
  ),
  ...redirects,
];

function problem(status: number, code: string): ResponseChanges {
  return {
    status,
    mediaType: PROBLEM,
    body: JSON.stringify({ type: "about:blank", status, code }),
  };
}

/** Returns a code of the contract that does not fit a status. */
function unfitFor(status: number): string {
  return status === 409 || status === 422 ? "RATE_LIMITED" : "DUPLICATE_APPLICATION";
}
