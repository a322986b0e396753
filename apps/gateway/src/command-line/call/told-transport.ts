import { createTransport, type Transport, TransportError } from "@insurance-gateway/core/transport";
import { safeText } from "../output/safe-text.ts";

/** What is told of the requests of a call while it is made. */
export interface Telling {
  /** Writes a line for a person. */
  readonly tell: (line: string) => void;
  /** Gets the key that a submission is sent with. */
  readonly sent: (idempotencyKey: string) => void;
  /** Whether the key is told that a submission is sent with; one that was given is known. */
  readonly key: boolean;
  /** The request as it is named, a template without a value; null when it is not told. */
  readonly verbose: string | null;
}

/** The headers of an answer that are told, in this order. */
const TOLD_HEADERS: readonly string[] = [
  "x-request-id",
  "server-timing",
  "ratelimit",
  "ratelimit-policy",
  "retry-after",
  "proxy-status",
  "idempotency-replayed",
  "age",
  "location",
];

/** A transport that tells what it sends and what comes back: no address, no token, nothing of a body. */
export function toldTransport({ key, sent, tell, verbose }: Telling): Transport {
  const transport = createTransport();
  let keyTold = !key;
  return {
    async send(request) {
      const sentKey = request.headers["idempotency-key"];
      if (sentKey !== undefined) sent(sentKey);
      // Before it leaves: whatever happens from here on, it can be sent again with this key.
      if (!keyTold && sentKey !== undefined) tell(`Idempotency-Key: ${sentKey}`);
      keyTold = true;
      if (verbose === null) return transport.send(request);
      tell(verbose);
      const begunAt = performance.now();
      try {
        const response = await transport.send(request);
        tell(`  ${response.status} after ${Math.round(performance.now() - begunAt)} ms`);
        for (const name of TOLD_HEADERS) {
          const value = response.headers[name];
          if (value !== undefined) tell(`  ${name}: ${safeText(value)}`);
        }
        return response;
      } catch (error) {
        if (TransportError.isInstance(error)) tell(`  ${error.message}`);
        throw error;
      }
    },
    close: () => transport.close(),
  };
}
