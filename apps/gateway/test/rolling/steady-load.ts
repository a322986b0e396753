import { Agent, type IncomingMessage, request } from "node:http";
import { setTimeout } from "node:timers/promises";

/** What became of the requests of a steady load. */
export interface Tally {
  readonly answered: number;
  /** What was not a success: the status, or the code of what broke; with how often. */
  readonly failures: Readonly<Record<string, number>>;
  /** Connections that could not be made: nobody had taken the request. */
  readonly refused: number;
}

/** One request of the load. */
export interface SteadyRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Callers who send at a constant rate, whatever the answers are. */
export interface SteadyLoad {
  /** How many have been answered so far. */
  answered(): number;
  /** Sends nothing more, waits for the last answer, and gives what became of all. */
  stop(): Promise<Tally>;
}

/** Starts sending so many requests a second over kept connections. */
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
  let refused = 0;

  async function send(): Promise<void> {
    try {
      const status = await answerOf(address, agent, next());
      answered += 1;
      if (status >= 300) failures[status] = (failures[status] ?? 0) + 1;
    } catch (error) {
      const code = codeOf(error);
      if (code === "ECONNREFUSED") refused += 1;
      else failures[code] = (failures[code] ?? 0) + 1;
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
    async stop() {
      stopping.abort();
      await sending;
      await Promise.all(underway);
      agent.destroy();
      return { answered, failures, refused };
    },
  };
}

function answerOf(address: string, agent: Agent, sent: SteadyRequest): Promise<number> {
  const { promise, reject, resolve } = Promise.withResolvers<number>();
  const { body, headers, method, path } = sent;
  const outgoing = request(address + path, { method, headers, agent });
  outgoing.once("error", reject);
  outgoing.once("response", (response: IncomingMessage) => {
    response.resume();
    response.once("error", reject);
    response.once("end", () => resolve(response.statusCode ?? 0));
  });
  outgoing.end(body);
  return promise;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
