import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";

type Reply = (response: ServerResponse, request: IncomingMessage, body: Buffer) => void;

const MEGABYTE = 1024 * 1024;
const answer = JSON.stringify({ text: "Ελένη" });
const json = "application/json";

/** Replies by path, after the provider's segment. */
const replies: Readonly<Record<string, Reply>> = {
  "/lookup/plain": send(200, json, answer),
  "/lookup/gzip": (response, request) => {
    const isAccepted = String(request.headers["accept-encoding"]).includes("gzip");
    const headers = isAccepted ? { "content-encoding": "gzip" } : {};
    send(200, json, isAccepted ? gzipSync(answer) : answer, headers)(response, request, empty);
  },
  "/lookup/pieces": (response) => {
    response.writeHead(200, { "content-type": json });
    response.write(answer.slice(0, 5), () => response.end(answer.slice(5)));
  },
  "/lookup/busy": busyOnce(),
  "/lookup/redirect": send(302, json, "", { location: "/provider-m/lookup/plain" }),
  "/lookup/html": send(200, "text/html", "<h1>Sign in</h1>"),
  "/lookup/large": send(200, json, JSON.stringify({ text: "x".repeat(5 * MEGABYTE) })),
  "/lookup/latin": send(200, json, Buffer.from('{"text":"\xe9"}', "latin1")),
  "/lookup/reset": reset,
  "/lookup/cut": cut(200, json),
  "/lookup/silent": () => undefined,
  "/lookup/half": (response) => {
    response.writeHead(200, { "content-type": json });
    response.write("{");
  },
  "/quote": (response, request, body) => send(200, json, body)(response, request, body),
  "/submit/created": (response, request) => {
    const { "idempotency-key": key, "content-length": length } = request.headers;
    send(201, json, JSON.stringify({ text: `${String(key)} ${length}` }))(response, request, empty);
  },
  "/submit/refused": problem(422, "PROVIDER_REJECTED", "rejected", "never"),
  "/submit/reset": reset,
  "/submit/cut": cut(201, json),
  "/upload": (response, request, body) => {
    const names = [...body.toString("latin1").matchAll(/name="(\w+)"/g)].map(([, name]) => name);
    const text = `${names.join(" ")} ${body.byteLength > 100_000} ${request.headers["transfer-encoding"] ?? "with a length"}`;
    send(201, json, JSON.stringify({ text }))(response, request, empty);
  },
  "/document/pdf": send(200, "application/pdf", Buffer.from(`%PDF-${"x".repeat(MEGABYTE)}`)),
  "/document/half": (response) => {
    response.writeHead(200, { "content-type": "application/pdf" });
    response.write("%PDF-");
  },
  "/document/cut": cut(200, "application/pdf"),
  "/items": (response, request) => {
    const query = new URL(request.url ?? "", "http://localhost").searchParams;
    const start = Number(query.get("start") ?? 1);
    const limit = Number(query.get("limit"));
    const items = [1, 2, 3].slice(start - 1, start - 1 + limit).map((id) => ({ id }));
    const page = { items, start, limit, total: 3 };
    send(200, json, JSON.stringify(page))(response, request, empty);
  },
};

const empty = Buffer.alloc(0);

/** Creates a gateway with a fixed reply for each path, for the calls of `calls.ts`. */
export function createConformanceServer(): Server {
  return createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const path = (request.url ?? "").replace(/^\/provider-m/, "").replace(/\?.*/, "");
      const reply = replies[path] ?? problem(404, "NOT_FOUND", "not_sent", "never");
      reply(response, request, Buffer.concat(chunks));
    });
    // Clients break some connections on purpose.
    request.on("error", () => undefined);
  });
}

function send(
  status: number,
  mediaType: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return (response) => {
    const length = Buffer.byteLength(body);
    response.writeHead(status, { ...headers, "content-type": mediaType, "content-length": length });
    response.end(body);
  };
}

function problem(status: number, code: string, outcome: string, retry: string, after = ""): Reply {
  const facts = { type: "", title: "", status, code, detail: "It failed.", outcome, retry };
  const body = JSON.stringify({ ...facts, requestId: "req-1", provider: "provider-m" });
  return send(
    status,
    "application/problem+json",
    body,
    after === "" ? {} : { "retry-after": after },
  );
}

/** Replies to every second request that the gateway is overloaded. */
function busyOnce(): Reply {
  let count = 0;
  return (...exchange) => {
    const isBusy = count++ % 2 === 0;
    const reply = isBusy
      ? problem(503, "OVERLOADED", "not_sent", "safe", "0")
      : send(200, json, answer);
    reply(...exchange);
  };
}

/** Receives the request and breaks the connection. */
function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

/** Begins an answer of 1,000 bytes and breaks the connection in the middle of the answer. */
function cut(status: number, mediaType: string): Reply {
  return (response) => {
    response.writeHead(status, { "content-type": mediaType, "content-length": 1_000 });
    response.write(`%PDF-${" ".repeat(500)}`, () => response.socket?.resetAndDestroy());
  };
}
