import type { Problem } from "../../src/index.ts";
import type { Reply } from "./scripted-server.ts";

type Headers = Readonly<Record<string, string>>;

/** Answers with JSON. */
export function json(body: unknown, status = 200, headers: Headers = {}): Reply {
  return raw(JSON.stringify(body), "application/json; charset=utf-8", status, headers);
}

/** Answers with a problem. Members that are not given have default values. */
export function problem(parts: Partial<Problem> & object, headers: Headers = {}): Reply {
  const body = {
    type: "https://gateway.example/errors/PROVIDER_UNAVAILABLE",
    title: "The insurer is not available",
    status: 503,
    code: "PROVIDER_UNAVAILABLE",
    detail: "The insurer takes no calls for now.",
    requestId: "req-1",
    provider: "provider-m",
    outcome: "not_sent",
    retry: "safe",
    ...parts,
  };
  return raw(JSON.stringify(body), "application/problem+json", body.status, headers);
}

/** Answers with exactly the given bytes. */
export function raw(
  body: string | Uint8Array,
  mediaType: string,
  status = 200,
  headers: Headers = {},
): Reply {
  return (response) => {
    response.writeHead(status, {
      ...headers,
      "content-type": mediaType,
      "content-length": Buffer.byteLength(body),
    });
    response.end(body);
  };
}

/** Receives the request and breaks the connection. */
export const reset: Reply = (response) => {
  response.socket?.resetAndDestroy();
};

/** Receives the request and never answers. */
export const silence: Reply = () => undefined;

/** Begins an answer of 1,000 bytes and breaks the connection in the middle of it. */
export function brokenMidway(mediaType: string, status = 200, headers: Headers = {}): Reply {
  return (response) => {
    response.writeHead(status, {
      ...headers,
      "content-type": mediaType,
      "content-length": 1_000,
    });
    const begins = mediaType === "application/pdf" ? "%PDF-" : "";
    response.write(begins.padEnd(500), () => response.socket?.resetAndDestroy());
  };
}
