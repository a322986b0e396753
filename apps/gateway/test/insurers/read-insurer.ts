import type { Adapter, AdapterAnswer, InsurerResponse } from "@insurance-gateway/adapter";
import { type Endpoint, type FailureRow, none, pdf } from "@insurance-gateway/core/contract";
import { Refusal } from "@insurance-gateway/core/runtime";
import { loose, strict, text } from "@insurance-gateway/core/schema";
import type { UnmatchedAnswer } from "../../src/events.ts";
import type { UpstreamAnswer } from "../../src/insurers/answers/upstream-answer.ts";
import type { ReceivedAnswer } from "../../src/insurers/drift/compare-answer.ts";
import { createAnswerBudget } from "../../src/insurers/exchange/answer-budget.ts";
import { type InsurerAccess, openTransport } from "../../src/insurers/insurer-access.ts";
import { type Arrival, startInsurer } from "../harness/insurer.ts";
import { attemptsAt, callOf } from "../harness/one-attempt.ts";

const provider = "provider-x";
const anything = loose<object>({});
const at = { provider, path: "/things" };

export const listThings: Endpoint = {
  ...at,
  kind: "lookup",
  method: "GET",
  response: { 200: anything },
};

/** A search whose pages state the cursor of the next page and the total number of items in headers. */
export const searchThings: Endpoint = {
  ...at,
  kind: "search",
  method: "GET",
  response: { 200: anything },
  paging: {
    style: "cursor",
    position: "cursor",
    size: { usual: 10 },
    items: "/items",
    next: { header: "x-next" },
    total: { header: "x-total" },
  },
};

export const downloadThing: Endpoint = {
  ...at,
  kind: "document",
  method: "GET",
  response: {},
  files: [pdf, { mediaType: "text/csv", extension: "csv" }],
};

/** A submission whose answer has the identifier of the created item, and repeats the sent fields. */
export const createThing: Endpoint = {
  ...at,
  kind: "submission",
  method: "POST",
  response: {
    201: {
      media: { "application/json": anything },
      headers: strict<{ "x-id": string }>({ "x-id": text() }),
    },
    202: anything,
    204: none,
  },
  insurerId: "/id",
  idempotency: "reconcile",
  reconcile: {
    endpoint: "searchThings",
    parameters: {},
    createdAt: "/createdAt",
  },
  same: ["/name", "/note"],
};

/** The body of every submission. */
export const sent = { name: "Eleni", note: "A-1" };

/** Function with which the adapter reads the insurer's answer. */
export type Reading = (response: InsurerResponse) => Promise<AdapterAnswer>;

/** An answer of the insurer, with the media types that the caller accepts. */
export interface Asked {
  readonly headers?: Readonly<Record<string, string>>;
  readonly content?: string;
  /** True if the answer has no length. The answer then ends when the connection ends. */
  readonly isUnframed?: boolean;
  readonly accept?: readonly string[];
}

/** An insurer, and an adapter that reads each answer with a function of the test. */
export interface ReadInsurer {
  /** Makes one call to the insurer. */
  ask(
    endpoint: Endpoint,
    read: AdapterAnswer | Reading,
    asked?: Asked,
  ): Promise<UpstreamAnswer | Refusal>;
  /** The socket of each request. */
  readonly sockets: readonly unknown[];
  /** The requests that the insurer received. */
  readonly arrivals: readonly Arrival[];
  /** The error answers that no `failures` row matched. */
  readonly unmatched: UnmatchedAnswer[];
  /** The answers that were reported for comparison with the declaration. */
  readonly received: ReceivedAnswer[];
  /** The operator's settings: the `failures` rows, and the match fields that are not compared. */
  readonly settings: { rows: readonly FailureRow[]; except: readonly string[] };
  underWay(): number;
  close(): Promise<void>;
}

/** Maximum bytes of an answer, and of a document. */
export const limits = { jsonBytes: 1_000, documentBytes: 100 };

/** Starts the insurer, and opens one connection to the insurer. */
export async function startReadInsurer(): Promise<ReadInsurer> {
  let next: { readonly read: Reading; readonly acts: boolean; readonly asked: Asked } | null = null;
  const sockets: unknown[] = [];
  const unmatched: UnmatchedAnswer[] = [];
  const received: ReceivedAnswer[] = [];
  const settings: ReadInsurer["settings"] = { rows: [], except: [] };
  const insurer = await startInsurer((response) => {
    sockets.push(response.socket);
    const { content = "{}", headers, isUnframed = false } = next?.asked ?? {};
    if (isUnframed) return void response.socket?.end(`HTTP/1.1 200 OK\r\n\r\n${content}`);
    response.writeHead(200, { "content-type": "application/json", ...headers }).end(content);
  });
  const adapter: Adapter = {
    name: "x",
    failures: [],
    async call(_, __, send) {
      if (next === null) throw new TypeError("Nothing was asked");
      const { acts, read } = next;
      const headers = { authorization: "own", via: "own", "x-request-id": "own", "x-own": "own" };
      return read(await send({ method: "POST", path: "/", headers, acts }));
    },
  };
  const access: InsurerAccess = {
    adapter,
    settings: {},
    baseUrl: insurer.baseUrl,
    credentials: [],
    tls: {},
    timeouts: { connectMs: 5_000, totalMs: 10_000, submissionMs: 10_000 },
    answers: { ...limits, staleHours: 0 },
    compare: {
      get except() {
        return settings.except;
      },
    },
    connections: 1,
    sandbox: false,
  };
  const transport = openTransport(access);
  const attempt = attemptsAt({
    insurer: access,
    transport,
    room: createAnswerBudget(() => 1_000_000_000).roomOf("insurer"),
    received: (_, answer) => void received.push(answer),
    rowsOf: () => settings.rows,
    unmatched: (_, answer) => void unmatched.push(answer),
  });
  return {
    arrivals: insurer.arrivals,
    sockets,
    unmatched,
    received,
    settings,
    async ask(endpoint, read, asked = {}) {
      const acts = endpoint.kind === "submission";
      next = { read: typeof read === "function" ? read : async () => read, acts, asked };
      const { accept } = asked;
      const input = { params: {}, query: {}, headers: {}, body: acts ? sent : undefined };
      const call = callOf({ input: { ...input, ...(accept === undefined ? {} : { accept }) } });
      const credentials = {
        headers: { authorization: "Bearer token" },
        login: null,
        refused: () => false,
      };
      const made = attempt(endpoint, { ...call, credentials });
      return made.catch((error: unknown) => {
        if (error instanceof Refusal) return error;
        throw error;
      });
    },
    underWay: () => transport.underWay(),
    async close() {
      await transport.close();
      await insurer.close();
    },
  };
}

/** Creates an answer that the adapter reads as a declared success. */
export function value(status: number, content: unknown, more: object = {}): AdapterAnswer {
  return { type: "value", status, value: content, ...more };
}

/** Returns the result of a call as a text: the status; or the code, the outcome and how the attempt counts. */
export function said(found: UpstreamAnswer | Refusal): string {
  return found instanceof Refusal
    ? `${found.code} ${found.facts.outcome} ${found.details.attempt}`
    : String(found.status);
}
