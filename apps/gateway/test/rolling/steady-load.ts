import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import { setTimeout } from "node:timers/promises";

/** The counted results of a steady load. */
export interface Tally {
  readonly answered: number;
  /** Number of failures by status, or by the code of a broken connection. */
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
      const status = await answerOf(address, agent, next());
      answered += 1;
      if (status >= 300) failures[status] = (failures[status] ?? 0) + 1;
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

function answerOf(address: string, agent: Agent, sent: SteadyRequest): Promise<number> {
  const { promise, reject, resolve } = Promise.withResolvers<number>();
  const { body, headers, method, path } = sent;
  const outgoing = request(address + path, { method, headers, agent });
  outgoing.once("error", (error) => reject(mayHaveArrived(error, outgoing) ? error : NOT_ACCEPTED));
  outgoing.once("response", (response: IncomingMessage) => {
    response.resume();
    response.once("error", reject);
    response.once("end", () => resolve(response.statusCode ?? 0));
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
