import type { Problem, SubmissionStatus } from "../../src/index.ts";
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

/** Answers with the state of the submission `S-1`. Members that are not given have default values. */
export function submissionStatus(state: string, parts: Partial<SubmissionStatus> = {}): Reply {
  return json({
    submissionId: "S-1",
    provider: "provider-m",
    endpoint: "createPolicy",
    state,
    insurerId: null,
    receivedAt: "2026-11-29T10:00:00Z",
    updatedAt: "2026-11-29T10:00:00Z",
    askAgainAt: null,
    answer: null,
    ...parts,
  });
}

/** Answers that the gateway has no such submission. */
export const submissionNotFound: Reply = problem({
  status: 404,
  code: "SUBMISSION_NOT_FOUND",
  retry: "never",
});

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

/** Begins an answer of 1,000 bytes and breaks the connection in the middle of the answer. */
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
