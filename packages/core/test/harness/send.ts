import { onTestFinished } from "vitest";
import {
  type ConnectionChoice,
  type ConnectionResponse,
  type ConnectionSettings,
  type ConnectionTransport,
  createTransport,
  type TransportRequest,
} from "../../src/transport/index.ts";

/** Time limit of a request that is longer than any test, in milliseconds. */
export const NO_DEADLINE_MS = 600_000;

/** Returns a transport that is closed when the test ends. */
export function transport(settings: ConnectionSettings = {}): ConnectionTransport {
  const made = createTransport(settings);
  onTestFinished(() => made.close());
  return made;
}

/** Sends one request over a separate transport. */
export function send(
  url: string,
  more: Partial<TransportRequest> = {},
): Promise<ConnectionResponse> {
  const request = { method: "GET", url, headers: {}, timeoutMs: NO_DEADLINE_MS, ...more };
  return transport().send(request);
}

/** Sends one request and reads the whole answer. */
export async function exchange(
  one: ConnectionTransport,
  url: string,
  connection?: ConnectionChoice,
  owner?: string,
): Promise<ConnectionResponse & { readonly text: string }> {
  const request = { method: "GET", url, headers: {}, timeoutMs: NO_DEADLINE_MS };
  const wanted = { ...(connection && { connection }), ...(owner && { owner }) };
  const response = await one.send({ ...request, ...wanted });
  return { ...response, text: await response.body.text(1_000) };
}
