import { setImmediate } from "node:timers/promises";
import {
  type ConnectionResponse,
  type ConnectionTransport,
  TransportError,
  type TransportRequest,
} from "@insurance-gateway/core/transport";

/** A request that reached an insurer in this process. */
export interface MemoryArrival {
  readonly method: string;
  /** The path with its query. */
  readonly url: string;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Returns an insurer's answer with a JSON body; null if the answer is lost. */
export type MemoryInsurer = (
  arrival: MemoryArrival,
) => { readonly status: number; readonly body: string } | null;

/**
 * Creates a transport to an insurer in this process. Other work of the process can run before each answer, as with a
 * network.
 */
export function createMemoryTransport(insurer: MemoryInsurer): ConnectionTransport {
  let underWay = 0;
  return {
    async send(request) {
      underWay += 1;
      try {
        await setImmediate();
        return answered(request, insurer(arrivalOf(request)));
      } finally {
        underWay -= 1;
      }
    },
    underWay: () => underWay,
    close: async () => {},
  };
}

function arrivalOf({ body, headers, method, url }: TransportRequest): MemoryArrival {
  if (body !== undefined && typeof body !== "string")
    throw new TypeError("An insurer in memory takes texts");
  const { pathname, search } = new URL(url);
  return { method, url: pathname + search, headers, body: body ?? "" };
}

function answered(
  request: TransportRequest,
  answer: ReturnType<MemoryInsurer>,
): ConnectionResponse {
  if (answer === null) {
    const failure = new TransportError("wait", "failed", "ECONNRESET");
    request.ended?.({ failure, heldUp: false });
    throw failure;
  }
  const bytes = Buffer.from(answer.body);
  request.ended?.({ failure: null, heldUp: false });
  return {
    status: answer.status,
    headers: { "content-type": "application/json", "content-length": String(bytes.byteLength) },
    body: {
      text: async () => answer.body,
      async *stream() {
        yield bytes;
      },
      discard: () => {},
    },
    isNewConnection: false,
    closeConnection: () => {},
  };
}
