import { canaries } from "./canary.ts";

/** A request that contains a canary: a customer's value that must not appear anywhere else. */
export interface PlantedRequest {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const { afm, dateOfBirth, fullName, plateNumber } = canaries;
const encodedName = encodeURIComponent(fullName);

const application = {
  policy: { startDate: "2026-12-01", endDate: "2027-11-30" },
  vehicle: { plateNumber, manufacturerCode: "TOY", modelCode: "Yaris" },
  holder: { afm, fullName },
};
const quote = { personDob: dateOfBirth, monthlyContribution: 100, durationYears: 20 };

const APPLICATIONS = "/provider-d/applications";
const QUOTE = "/provider-e/life/core/fast-pension-quote";
const BRANDS = "/provider-a/auto/brands";

function post(name: string, path: string, body: unknown, headers: object = {}): PlantedRequest {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const contentType = { "content-type": "application/json" };
  return { name, method: "POST", path, headers: { ...contentType, ...headers }, body: text };
}

function get(name: string, path: string, headers: object = {}): PlantedRequest {
  return { name, method: "GET", path, headers: { ...headers } };
}

/** Valid requests with canaries. */
const valid: readonly PlantedRequest[] = [
  post("an application", APPLICATIONS, application),
  post("an application with a key that says too much", APPLICATIONS, application, {
    "idempotency-key": `application-of-${afm}`,
  }),
  post("a quote", QUOTE, quote),
  get("a search", `${APPLICATIONS}/search?clientAfm=${afm}`),
  get("a document", `/provider-c/application/ipid?applicationId=C-${afm}`),
  get("a lookup", BRANDS),
];

/** Requests with a canary in place of a field, a body, a part of the path or a parameter. */
const wrongFields: readonly PlantedRequest[] = Object.values(canaries).flatMap((value) => [
  post(`every field of an application is ${value}`, APPLICATIONS, {
    policy: { startDate: value, endDate: value },
    vehicle: { plateNumber: value, manufacturerCode: value, modelCode: value },
    holder: { afm: value, fullName: value, [value]: value },
    [value]: value,
  }),
  post(`every field of a quote is ${value}`, QUOTE, {
    personDob: value,
    monthlyContribution: value,
    durationYears: value,
  }),
  post(`a body is ${value}`, APPLICATIONS, value),
  post(`a body is the text ${value}`, QUOTE, `"${value}"`),
  get(`a path ends with ${value}`, `${APPLICATIONS}/${encodeURIComponent(value)}`),
  get(`a segment is ${value}`, `/${encodeURIComponent(value)}/applications`),
  get(`a submission is ${value}`, `/submissions/${encodeURIComponent(value)}`),
  get(
    `a parameter is ${value}`,
    `${BRANDS}?${encodeURIComponent(value)}=${encodeURIComponent(value)}`,
  ),
  get(
    `a search is for ${value}`,
    `${APPLICATIONS}/search?clientAfm=${encodeURIComponent(value)}&start=${encodeURIComponent(value)}`,
  ),
]);

/** Requests with a canary in each header that the gateway reads, and in some headers that the gateway ignores. */
const headers: readonly PlantedRequest[] = [
  "accept",
  "accept-language",
  "authorization",
  "content-encoding",
  "cookie",
  "expect",
  "forwarded",
  "idempotency-key",
  "if-none-match",
  "origin",
  "referer",
  "traceparent",
  "tracestate",
  "baggage",
  "user-agent",
  "x-afm",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-request-id",
  "x-sandbox-scenario",
].flatMap((name) => [
  get(`${name} holds the customer's number`, BRANDS, { [name]: afm }),
  post(`${name} holds the customer's name`, APPLICATIONS, application, { [name]: encodedName }),
]);

const traces: readonly PlantedRequest[] = [
  get("a trace is named after the customer", BRANDS, {
    traceparent: `00-${afm.padStart(32, "0")}-${afm.padStart(16, "0")}-01`,
    tracestate: `broker=${afm}`,
  }),
  post("a content type has the customer's number", APPLICATIONS, application, {
    "content-type": `application/json; afm=${afm}`,
  }),
  { ...get("the method is the customer's number", BRANDS), method: `AFM${afm}` },
  post("a body that is cut", APPLICATIONS, JSON.stringify(application).slice(0, -9)),
  post("a body with the same name twice", APPLICATIONS, `{"${afm}":1,"${afm}":2}`),
];

/**
 * All requests. The answers to `reaching` depend on the insurer. The gateway refuses the requests of `refused`, or
 * answers them like those of `reaching`.
 */
export const plantedRequests: Readonly<Record<"reaching" | "refused", readonly PlantedRequest[]>> =
  {
    reaching: [...valid, ...traces],
    refused: [...wrongFields, ...headers],
  };
