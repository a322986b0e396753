import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import { setTimeout } from "node:timers/promises";

/** The counted results of a steady load. */
export interface Tally {
  readonly answered: number;
  /** Number of failures by status and problem code, such as `503 OVERLOADED`, or by the code of a broken connection. */
  readonly failures: Readonly<Record<string, number>>;
  /** Number of requests that no gateway accepted: the new connection was refused, or reset before it was accepted. */
  readonly notTaken: number;
}

/** A request of the steady load. */
export interface SteadyRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Callers that send at a constant rate, regardless of the answers. */
export interface SteadyLoad {
  /** Returns the number of answers so far. */
  answered(): number;
  /** Returns the number of the callers' open connections. */
  connections(): number;
  /** Stops the callers, waits for the last answer, and returns all results. */
  stop(): Promise<Tally>;
}

/** Starts callers that send a number of requests per second over connections that stay open. */
export function startSteadyLoad(
  address: string,
  perSecond: number,
  next: () => SteadyRequest,
): SteadyLoad {
  const agent = new Agent({ keepAlive: true, scheduling: "fifo" });
  const stopping = new AbortController();
  const underway = new Set<Promise<void>>();
  const failures: Record<string, number> = {};
  let answered = 0;
  let notTaken = 0;

  async function send(): Promise<void> {
    try {
      const failure = await failureOf(address, agent, next());
      answered += 1;
      if (failure !== null) failures[failure] = (failures[failure] ?? 0) + 1;
    } catch (error) {
      if (error === NOT_ACCEPTED) notTaken += 1;
      else failures[codeOf(error)] = (failures[codeOf(error)] ?? 0) + 1;
    }
  }

  async function keepSending(): Promise<void> {
    const begun = performance.now();
    for (let sent = 0; !stopping.signal.aborted; ) {
      const due = ((performance.now() - begun) * perSecond) / 1_000;
      for (; sent < due; sent += 1) {
        const sending = send();
        underway.add(sending);
        void sending.finally(() => underway.delete(sending));
      }
      await setTimeout(2);
    }
  }

  const sending = keepSending();
  return {
    answered: () => answered,
    connections: () =>
      [...Object.values(agent.sockets), ...Object.values(agent.freeSockets)].reduce(
        (sum, sockets) => sum + (sockets?.length ?? 0),
        0,
      ),
    async stop() {
      stopping.abort();
      await sending;
      await Promise.all(underway);
      agent.destroy();
      return { answered, failures, notTaken };
    },
  };
}

/** Sends a request. Returns null for a success, or the status and problem code of the answer. */
function failureOf(address: string, agent: Agent, sent: SteadyRequest): Promise<string | null> {
  const { promise, reject, resolve } = Promise.withResolvers<string | null>();
  const { body, headers, method, path } = sent;
  const outgoing = request(address + path, { method, headers, agent });
  outgoing.once("error", (error) => reject(mayHaveArrived(error, outgoing) ? error : NOT_ACCEPTED));
  outgoing.once("response", (response: IncomingMessage) => {
    const { statusCode = 0 } = response;
    let text = "";
    response.setEncoding("utf8").on("data", (piece: string) => {
      if (statusCode >= 300) text += piece;
    });
    response.once("error", reject);
    response.once("end", () => {
      // An answer without a code is not from the gateway, but from the load balancer.
      const [, code = "of the load balancer"] = /"code":"(\w+)"/.exec(text) ?? [];
      resolve(statusCode < 300 ? null : `${statusCode} ${code}`);
    });
  });
  outgoing.end(body);
  return promise;
}

const NOT_ACCEPTED = new Error("No server accepted the connection of the request");

/** Reports whether a gateway may have read a request: the connection was reused, or did not break at once. */
function mayHaveArrived(error: unknown, { reusedSocket }: ClientRequest): boolean {
  return reusedSocket || !/^(ECONNREFUSED|ECONNRESET)$/.test(codeOf(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
