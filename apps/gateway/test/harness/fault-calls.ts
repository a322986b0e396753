import { sendRequest, specificationRequests } from "@insurance-gateway/specification";
import { submitApplication } from "./applications.ts";
import type { GatewayInProcess } from "./gateway-in-process.ts";
import { problemIn } from "./problem.ts";

/** The kinds of calls. The number of a kind selects a request of this kind in the specification. */
const numbers = { lookup: 1, search: 6, quote: 5, document: 7, submission: 4 };

/** A kind of call. */
export type Kind = keyof typeof numbers;

/** All kinds, in the order of the columns in docs/faults.md. */
export const kinds: readonly Kind[] = ["lookup", "search", "quote", "document", "submission"];

/**
 * The path segment for the search. The search uses separate connections to the insurer, so that the test can make calls
 * of all kinds at the same time.
 */
export const SEARCH_SEGMENT = "searches";

/** The result of a call whose answer had the status 200 and broke off. */
export const BROKEN_TRANSFER = "200, then the transfer breaks";

/** The answer to a call, as the caller read it. */
export interface Reading {
  /** Status, code, outcome and retry of a problem; only the status of a success. */
  readonly answer: string;
  /** The content of the header `Proxy-Status` after the gateway's name; null if the answer lacks the header. */
  readonly proxyStatus: string | null;
  readonly retryAfter: string | null;
  readonly replayed: boolean;
  /** The member `reconciliation` of a problem. */
  readonly reconciliation?: unknown;
  readonly insurerId?: unknown;
  /** The whole problem as text. */
  readonly problem?: string;
}

/** Returns the method and path of a kind's request at the insurer. */
export function requestOf(kind: Kind): { readonly method: string; readonly path: string } {
  return specified(kind);
}

/** Sends a call that is not a submission, and reads the whole answer. */
export async function callOnce(
  gateway: GatewayInProcess,
  kind: Exclude<Kind, "submission">,
): Promise<Reading> {
  const request = specified(kind);
  const provider = kind === "search" ? SEARCH_SEGMENT : request.provider;
  return read(await sendRequest(gateway.address, gateway.token, { ...request, provider }));
}

/** Sends a submission with or without a key, and reads the whole answer. */
export async function submitOnce(
  gateway: GatewayInProcess,
  body: object,
  key: string | null,
): Promise<Reading> {
  const headers = key === null ? {} : { "idempotency-key": key };
  return read(await submitApplication(gateway, body, headers));
}

function specified(kind: Kind): ReturnType<typeof specificationRequests>[number] {
  const request = specificationRequests().find(({ number }) => number === numbers[kind]);
  if (request === undefined) throw new Error(`The fixture has no request for ${kind}`);
  return request;
}

async function read(response: Response): Promise<Reading> {
  const { headers, status } = response;
  const common = {
    proxyStatus: headers.get("proxy-status")?.replace(/^insurance-gateway; /, "") ?? null,
    retryAfter: headers.get("retry-after"),
    replayed: headers.get("idempotency-replayed") === "true",
  };
  if (response.ok) {
    const whole = await response.arrayBuffer().then(
      () => true,
      () => false,
    );
    return { ...common, answer: whole ? String(status) : BROKEN_TRANSFER };
  }
  const problem = await response.clone().text();
  const { insurerId }: { insurerId?: unknown } = JSON.parse(problem);
  const { code, reconciliation, outcome, retry } = await problemIn(response);
  const answer = `${status} ${code} ${outcome} ${retry}`;
  return { ...common, answer, reconciliation, insurerId, problem };
}
