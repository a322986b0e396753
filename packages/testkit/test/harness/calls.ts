import {
  type ConnectionSettings,
  createTransport,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "@insurance-gateway/core/transport";
import { onTestFinished } from "vitest";

/** A time limit longer than any test, in milliseconds, so that no deadline has an effect. */
const NO_DEADLINE_MS = 600_000;
const MEGABYTE = 1024 * 1024;

/** Opens the gateway's own transport, which is closed when the test ends. */
export function openTransport(settings: ConnectionSettings = {}): Transport {
  const transport = createTransport(settings);
  onTestFinished(() => transport.close());
  return transport;
}

/** Submits an application. By default, it opens a new transport. */
export function submit(
  baseUrl: string,
  more: Partial<TransportRequest> = {},
  transport: Transport = openTransport(),
): Promise<TransportResponse> {
  return transport.send({
    method: "POST",
    url: `${baseUrl}/applications`,
    headers: { "content-type": "application/json", "idempotency-key": '"R-1"' },
    body: '{"make":"TOY"}',
    timeoutMs: NO_DEADLINE_MS,
    ...more,
  });
}

/** Reads the whole body of an answer. */
export function textOf({ body }: TransportResponse): Promise<string> {
  return body.text(MEGABYTE);
}

/** Returns the error of a rejected promise. The test fails if the promise is fulfilled. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new TypeError("It did not fail");
}
