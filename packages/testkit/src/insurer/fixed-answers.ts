import type { FixedAnswerName } from "./fault-names.ts";
import type { InsurerAnswer } from "./insurer.ts";

/** A fault that sends the same complete answer to every request. */
export interface FixedAnswer {
  /** The rest of a sentence that begins with "the insurer". */
  readonly description: string;
  /** True if the insurer carries out the request before it sends this answer. */
  readonly executes: boolean;
  readonly answer: InsurerAnswer;
}

const RETRY_AFTER = { "retry-after": "7" };
const HTML = { "content-type": "text/html" };
const PROBLEM = { "content-type": "application/problem+json" };

/** Returns the HTML page of a web server in front of the insurer. */
function page(title: string): string {
  return `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;
}

function problem(status: number, code: string): string {
  return JSON.stringify({ code, status });
}

/** The faults that send the same complete answer to every request. */
export const fixedAnswers: Readonly<Record<FixedAnswerName, FixedAnswer>> = {
  "html-success": {
    description: "answers 200 with a web page",
    executes: false,
    answer: { status: 200, headers: HTML, body: page("Welcome") },
  },
  "not-a-pdf": {
    description: "answers 200 with a document that is labelled as PDF but is not a PDF",
    executes: false,
    answer: {
      status: 200,
      headers: { "content-type": "application/pdf" },
      body: "The document cannot be shown.\n",
    },
  },
  redirect: {
    description: "answers 302 and points to another address of its own",
    executes: false,
    answer: { status: 302, headers: { location: "/elsewhere" }, body: "{}" },
  },
  unauthorized: {
    description: "answers 401 with an empty JSON object",
    executes: false,
    answer: { status: 401, body: "{}" },
  },
  forbidden: {
    description: "answers 403 with an empty JSON object",
    executes: false,
    answer: { status: 403, body: "{}" },
  },
  "not-found": {
    description: "answers 404 with an empty JSON object",
    executes: false,
    answer: { status: 404, body: "{}" },
  },
  conflict: {
    description: "answers 409 with an empty JSON object",
    executes: false,
    answer: { status: 409, body: "{}" },
  },
  unprocessable: {
    description: "answers 422 with an empty JSON object",
    executes: false,
    answer: { status: 422, body: "{}" },
  },
  rejected: {
    description: "rejects the request as the contract says (422 PROVIDER_REJECTED)",
    executes: false,
    answer: { status: 422, headers: PROBLEM, body: problem(422, "PROVIDER_REJECTED") },
  },
  duplicate: {
    description: "says that it has the application already (409 DUPLICATE_APPLICATION)",
    executes: false,
    answer: { status: 409, headers: PROBLEM, body: problem(409, "DUPLICATE_APPLICATION") },
  },
  "broker-limit": {
    description: "says that the broker's limit is reached (422 BROKER_LIMIT_EXCEEDED)",
    executes: false,
    answer: { status: 422, headers: PROBLEM, body: problem(422, "BROKER_LIMIT_EXCEEDED") },
  },
  busy: {
    description: "accepts no more calls for 7 seconds (429 RATE_LIMITED)",
    executes: false,
    answer: {
      status: 429,
      headers: { ...PROBLEM, ...RETRY_AFTER },
      body: problem(429, "RATE_LIMITED"),
    },
  },
  "bare-429": {
    description: "answers 429 with an empty JSON object and Retry-After: 7",
    executes: false,
    answer: { status: 429, headers: RETRY_AFTER, body: "{}" },
  },
  "server-error": {
    description: "answers 500 with an empty JSON object",
    executes: false,
    answer: { status: 500, body: "{}" },
  },
  "html-error": {
    description: "is behind a proxy that answers 502 with a web page",
    executes: false,
    answer: { status: 502, headers: HTML, body: page("502 Bad Gateway") },
  },
  "execute-then-504": {
    description: "carries the request out, behind a proxy that answers 504 with a web page",
    executes: true,
    answer: { status: 504, headers: HTML, body: page("504 Gateway Time-out") },
  },
  unavailable: {
    description: "is not available for 7 seconds (503 PROVIDER_UNAVAILABLE)",
    executes: false,
    answer: {
      status: 503,
      headers: { ...PROBLEM, ...RETRY_AFTER },
      body: problem(503, "PROVIDER_UNAVAILABLE"),
    },
  },
  "bare-503": {
    description: "is behind a proxy that answers 503 with a web page and Retry-After: 7",
    executes: false,
    answer: {
      status: 503,
      headers: { ...HTML, ...RETRY_AFTER },
      body: page("503 Service Unavailable"),
    },
  },
};
