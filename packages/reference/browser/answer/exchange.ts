/** One call of the gateway from a page, with its answer. */
export interface Exchange {
  readonly endpoint: {
    /** In upper case. */
    readonly method: string;
    /** The path that was called, from the root of the host. */
    readonly path: string;
    /** The kind of the endpoint: `submission`, `lookup`, … */
    readonly kind: string;
    readonly operationId: string;
  };
  /** The idempotency key, without its quotes and mark; null if none was sent. */
  readonly key: string | null;
  /** Null if no answer came. */
  readonly status: number | null;
  readonly headers: Headers;
  readonly body: Blob;
  /** From the request to the end of the answer, in milliseconds. */
  readonly millis: number;
}

/** The steps that the buttons below an answer take. */
export interface NextSteps {
  /** Asks for the state of a submission at its address, with the same token. */
  askState(href: string): Promise<Exchange>;
  /** Sends the same content with the same key. */
  sendAgain(): Promise<Exchange>;
}

/** Sends a request and reads its answer to the end. Never rejects: without an answer, the status is null. */
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

/** The parsed body; undefined if it is not JSON. */
export async function jsonOf({ body }: Exchange): Promise<unknown> {
  if (!body.type.includes("json")) return undefined;
  try {
    return JSON.parse(await body.text());
  } catch {
    return undefined;
  }
}

/** Whether an answer is a problem of the gateway (RFC 9457). An insurer's answer can have members of the same names. */
export function isProblem({ body }: Exchange): boolean {
  return body.type.startsWith("application/problem+json");
}

/** Whether an answer is the gateway's record of a submission. */
export function isState({ endpoint, status }: Exchange): boolean {
  return endpoint.operationId === "readSubmission" && status === 200;
}
