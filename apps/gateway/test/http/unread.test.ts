import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sendRaw } from "../harness/send-raw.ts";
import { type HeldListener, startHeldListener } from "./guards/held-listener.ts";

let listener: HeldListener;
beforeAll(async () => {
  listener = await startHeldListener();
});
afterAll(() => listener.drain());

/** Returns the lines of an answer, with a placeholder for its request id. */
async function answerTo(bytes: string): Promise<readonly string[]> {
  const answer = await sendRaw(listener.address, bytes);
  const [, id = "none"] = /x-request-id: (\S+)/.exec(answer) ?? [];
  return answer
    .replaceAll(id, "ID")
    .split("\r\n")
    .filter((line) => !/^(Date|content-length):/i.test(line));
}

function outcomeIn(answer: readonly string[]): string {
  return JSON.parse(answer.at(-1) ?? "").outcome;
}

const problem = {
  type: "https://gateway.example/reference/errors/INVALID_REQUEST",
  title: expect.any(String),
  status: 400,
  code: "INVALID_REQUEST",
  detail: "The request is not well-formed HTTP/1.1.",
  requestId: "ID",
  provider: null,
  outcome: "not_sent",
  retry: "never",
};
const headers = [
  "content-type: application/problem+json; charset=utf-8",
  "cache-control: no-store",
  "x-content-type-options: nosniff",
  "x-request-id: ID",
  "connection: close",
  "",
];

describe("an unreadable request", () => {
  it.each([
    ["invalid HTTP", "no HTTP\r\n\r\n", "HTTP/1.1 400 Bad Request", [], {}],
    [
      "CONNECT",
      "CONNECT x:80 HTTP/1.1\r\nhost: x\r\n\r\n",
      "HTTP/1.1 405 Method Not Allowed",
      [expect.stringMatching(/^allow: /)],
      {
        type: "https://gateway.example/reference/errors/METHOD_NOT_ALLOWED",
        status: 405,
        code: "METHOD_NOT_ALLOWED",
        detail: expect.any(String),
      },
    ],
  ])(
    "the gateway answers an unreadable request with a complete problem, and ends the connection: %s",
    async (_, bytes, status, more, own) => {
      const answer = await answerTo(bytes);
      expect(answer.slice(0, -1)).toEqual([status, ...more, ...headers]);
      expect(JSON.parse(answer.at(-1) ?? "")).toEqual({ ...problem, ...own });
    },
  );

  const bad = "bad header\r\n\r\n";
  const large = `x: ${"y".repeat(33_000)}\r\n\r\n`;
  it.each([
    [`POST / HTTP/1.1\r\nhost: x\r\nIdempotency-Key: 1\r\n${bad}`, "unknown"],
    [`POST / HTTP/1.1\r\nhost: x\r\n${bad}`, "not_sent"],
    [`GET / HTTP/1.1\r\nhost: x\r\nidempotency-key: 1\r\n${bad}`, "not_sent"],
    [`HEAD / HTTP/1.1\r\nhost: x\r\nidempotency-key: 1\r\n${bad}`, "not_sent"],
    [`POST / HTTP/1.1\r\nhost: x\r\n${large}`, "unknown"],
    [`GET / HTTP/1.1\r\nhost: x\r\n${large}`, "not_sent"],
  ])(
    "the outcome of an unreadable request is `unknown` only if the request may be a submission with an idempotency key: %.60j is %s",
    async (bytes, outcome) => {
      expect(outcomeIn(await answerTo(bytes))).toBe(outcome);
    },
  );

  it.each([
    [`POST / HTTP/1.1\r\nhost: x\r\n${bad}`, true],
    [`GET / HTTP/1.1\r\nhost: x\r\n${bad}`, false],
  ])(
    "the problem of an unreadable request mentions earlier requests only if the request may be a submission: %.40j %s",
    async (bytes, says) => {
      const { detail } = JSON.parse((await answerTo(bytes)).at(-1) ?? "");
      expect(detail.includes("earlier requests with the same content")).toBe(says);
    },
  );
});
