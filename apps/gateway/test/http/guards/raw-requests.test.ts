import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../../harness/gateway-in-process.ts";
import type { Insurer } from "../../harness/insurer.ts";
import { openRaw, type RawAnswer } from "../../harness/send-raw.ts";
import { startAnsweringInsurer } from "./answering-insurer.ts";
import { bodyCases, messageCases } from "./framing-cases.ts";
import * as headers from "./header-cases.ts";
import type { RawCase } from "./raw-case.ts";
import * as targets from "./target-cases.ts";

const tables: readonly (readonly [string, readonly RawCase[]])[] = [
  ["the beginning and the end of requests", messageCases],
  ["the beginning and the end of bodies", bodyCases],
  ["methods", targets.methodCases],
  ["request targets", targets.formCases],
  ["paths", targets.pathCases],
  ["queries", targets.queryCases],
  ["the form of headers", headers.formCases],
  ["the Host header", headers.hostCases],
  ["headers that affect how the gateway handles a request", headers.meaningCases],
  ["HTTP versions", headers.versionCases],
];

let gateway: GatewayInProcess;
let insurer: Insurer;

beforeAll(async () => {
  insurer = await startAnsweringInsurer();
  gateway = await startInProcess({
    providers: ["a", "d", "e"].map((letter) => insurerConfiguration(letter, insurer.baseUrl)),
  });
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

/**
 * Returns an answer in the form of `RawCase.answers`. Checks that a problem is complete and that no header is needless.
 */
function nameOf(answer: RawAnswer | null): string {
  if (answer === null) return "none";
  const { body, headers, status } = answer;
  expect(headers).not.toHaveProperty("server");
  expect(headers).not.toHaveProperty("x-powered-by");
  expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  if (status < 400) return String(status);
  const problem: Record<string, unknown> = JSON.parse(body);
  expect(problem).toMatchObject({ status, retry: "never" });
  expect(problem.requestId).toBe(headers["x-request-id"]);
  expect(problem.detail).toMatch(/^[A-Z\d].{15,}\.$/);
  expect(body).not.toMatch(/\\n|\.[jt]s\b|Error/);
  expect(headers.allow !== undefined).toBe(status === 405);
  // The outcome of a refused request may be unknown, because an earlier request with the same key may have been sent.
  const outcome = problem.outcome === "not_sent" ? "" : ` ${String(problem.outcome)}`;
  return `${status} ${String(problem.code)}${outcome}`;
}

describe.each(tables)("%s", (_, cases) => {
  it.each(cases)(
    "the gateway answers a raw request by the rules of HTTP: $name",
    async ({ afterwards, answers, bytes, end }) => {
      const before = insurer.arrivals.length;
      const sent = bytes
        .replaceAll("{host}", new URL(gateway.address).host)
        .replaceAll("{token}", gateway.token);
      const connection = await openRaw(gateway.address);
      if (end) connection.socket.end(sent, "latin1");
      else connection.send(sent);
      for (const expected of answers) expect(nameOf(await connection.answer())).toBe(expected);

      if (!end) connection.send("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
      expect((await connection.answer()) === null ? "closed" : "open").toBe(afterwards);
      await connection.ended;
      const reached = answers.filter((answer) => answer === "200").length;
      expect(insurer.arrivals).toHaveLength(before + reached);
    },
  );
});

describe("a HEAD request", () => {
  it("the answer to a HEAD request has no body, and lists the supported methods in the header Allow", async () => {
    const response = await gateway.ask("/provider-a/auto/brands", { method: "HEAD" });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET"]);
    expect(await response.text()).toBe("");
  });
});
