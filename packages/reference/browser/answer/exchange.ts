/** A call from a page to the gateway, with its answer. */
export interface Exchange {
  readonly endpoint: {
    /** The method in upper case. */
    readonly method: string;
    /** The called path, from the root of the host. */
    readonly path: string;
    /** The kind of the endpoint: `submission`, `lookup`, … */
    readonly kind: string;
    readonly operationId: string;
  };
  /** The idempotency key without quotes and parameters; null if the request had no key. */
  readonly key: string | null;
  /** The HTTP status; null if the gateway did not answer. */
  readonly status: number | null;
  readonly headers: Headers;
  readonly body: Blob;
  /** Time from the request to the end of the answer, in milliseconds. */
  readonly millis: number;
}

/** The actions of the buttons below an answer. */
export interface NextSteps {
  /** Queries the state of a submission at its address with the same token. */
  askState(href: string): Promise<Exchange>;
  /** Sends the content of the call again with the same key. */
  sendAgain(): Promise<Exchange>;
}

/** Sends a request and reads the complete answer. Never rejects: if there is no answer, the status is null. */
export async function send(
  called: Pick<Exchange, "endpoint" | "key">,
  url: string,
  request: RequestInit,
): Promise<Exchange> {
  const begun = performance.now();
  const ended = (status: number | null, headers: Headers, body: Blob): Exchange => ({
    ...called,
    status,
    headers,
    body,
    millis: performance.now() - begun,
  });
  try {
    const response = await fetch(url, { ...request, method: called.endpoint.method });
    return ended(response.status, response.headers, await response.blob());
  } catch {
    return ended(null, new Headers(), new Blob());
  }
}

/** Returns the parsed body of an answer; undefined if the body is not JSON. */
export async function jsonOf({ body }: Exchange): Promise<unknown> {
  if (!body.type.includes("json")) return undefined;
  try {
    return JSON.parse(await body.text());
  } catch {
    return undefined;
  }
}

/**
 * Reports whether an answer is a problem of the gateway (RFC 9457). An insurer's answer can have members with the same
 * names.
 */
export function isProblem({ body }: Exchange): boolean {
  return body.type.startsWith("application/problem+json");
}

/** Reports whether an answer is the gateway's record of a submission. */
export function isState({ endpoint, status }: Exchange): boolean {
  return endpoint.operationId === "readSubmission" && status === 200;
}
