import type { IncomingHttpHeaders } from "node:http";
import { Client, type Dispatcher } from "undici";
import type { Ending, LoadCall, LoadPlan } from "./plan.ts";

/** Sends calls over connections of its own, each of which carries one at a time. */
export interface Sender {
  /** Sends a call, unless no connection is free: then it says false. */
  send(call: LoadCall, ended: (ending: Ending) => void): boolean;
  inFlight(): number;
  close(): Promise<void>;
}

/** Makes one that connects when there is something to send, and uses the connection first that was used last. */
export function createSender({ connections, origin, timeoutMs }: LoadPlan): Sender {
  const all = Array.from(
    { length: connections },
    () =>
      new Client(origin, {
        pipelining: 1,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        connect: { timeout: timeoutMs },
      }),
  );
  const free = [...all];
  return {
    send(call, ended) {
      const client = free.pop();
      if (client === undefined) return false;
      client.dispatch(
        { method: call.method, path: call.path, headers: call.headers, body: call.body },
        answerTo((ending) => {
          free.push(client);
          ended(ending);
        }),
      );
      return true;
    },
    inFlight: () => all.length - free.length,
    async close() {
      await Promise.all(all.map((client) => client.destroy()));
    },
  };
}

function answerTo(ended: (ending: Ending) => void): Dispatcher.DispatchHandler {
  let status = 0;
  let headers: IncomingHttpHeaders = {};
  const pieces: Buffer[] = [];
  return {
    onRequestStart() {},
    onResponseStart(_, received, head) {
      status = received;
      headers = head;
    },
    onResponseData(_, piece) {
      if (status >= 300) pieces.push(piece);
    },
    onResponseEnd: () => ended(answered(status, headers, pieces)),
    onResponseError: (_, error) => ended(failed(error)),
  };
}

function answered(status: number, headers: IncomingHttpHeaders, pieces: Buffer[]): Ending {
  const [, code = null] = /"code":"([A-Z_]+)"/.exec(Buffer.concat(pieces).toString("latin1")) ?? [];
  const [, proxyError = null] = /error=(\w+)/.exec(String(headers["proxy-status"] ?? "")) ?? [];
  return {
    status,
    code,
    proxyError,
    retryAfter: headers["retry-after"] !== undefined,
    stale: headers["cache-status"] !== undefined,
  };
}

function failed(error: Error): Ending {
  const code = "code" in error ? String(error.code) : error.name;
  return { status: null, code, proxyError: null, retryAfter: false, stale: false };
}
