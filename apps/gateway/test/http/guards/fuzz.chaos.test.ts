import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applicationBody, submitApplication } from "../../harness/applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../../harness/gateway-in-process.ts";
import type { Insurer } from "../../harness/insurer.ts";
import { problemIn } from "../../harness/problem.ts";
import { openRaw, type RawAnswer, type RawConnection } from "../../harness/send-raw.ts";
import { startAnsweringInsurer } from "./answering-insurer.ts";
import { type FuzzedRequest, request } from "./fuzz-requests.ts";
import { MARKER } from "./fuzz-values.ts";

const SEED = 20_261_121;
const BATCHES = 100;
const REQUESTS_OF_A_BATCH = 100;
const CONNECTIONS = 16;
/** Time limit for an answer, in milliseconds; every call here is faster. */
const ANSWER_WITHIN_MS = 10_000;

/** Kinds of answers that must occur: they show that the random requests are neither all valid nor all invalid. */
const expectedKinds: readonly string[] = [
  "200",
  "201",
  "MALFORMED_JSON",
  "VALIDATION_FAILED",
  "INVALID_REQUEST",
  "UNAUTHENTICATED",
  "NOT_FOUND",
  "METHOD_NOT_ALLOWED",
  "NOT_ACCEPTABLE",
  "UNSUPPORTED_MEDIA_TYPE",
  "IDEMPOTENCY_KEY_REUSED",
];

interface FuzzedExchange {
  readonly sent: FuzzedRequest;
  readonly answer: RawAnswer | null;
}

let gateway: GatewayInProcess;
let insurer: Insurer;

beforeAll(async () => {
  insurer = await startAnsweringInsurer();
  gateway = await startInProcess({
    authentication: { refusedTokens: 100_000 },
    providers: ["a", "d", "e"].map((letter) => ({
      ...insurerConfiguration(letter, insurer.baseUrl),
      callerLimit: { requests: 1_000_000 },
    })),
  });
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

/**
 * Sends requests one after the other on one connection. If the gateway closes the connection, the next request opens a
 * new one.
 */
async function sendAll(requests: readonly FuzzedRequest[]): Promise<readonly FuzzedExchange[]> {
  const exchanges: FuzzedExchange[] = [];
  let connection: RawConnection | null = null;
  for (const sent of requests) {
    connection ??= await openConnection();
    connection.send(written(sent));
    const answer = await connection.answer();
    exchanges.push({ sent, answer });
    if (answer?.headers.connection !== "close") continue;
    await connection.ended;
    connection = null;
  }
  connection?.socket.destroy();
  return exchanges;
}

async function openConnection(): Promise<RawConnection> {
  const connection = await openRaw(gateway.address);
  connection.socket.setTimeout(ANSWER_WITHIN_MS, () => connection.socket.destroy());
  return connection;
}

function written({ body, headers, method, target }: FuzzedRequest): string {
  const content = Buffer.from(body ?? []).toString("latin1");
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  if (body !== null) lines.push(`content-length: ${content.length}`);
  return `${[`${method} ${target} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n${content}`
    .replaceAll("{host}", new URL(gateway.address).host)
    .replaceAll("{token}", gateway.token);
}

/** Returns the kind of a complete answer: its status, or the code of a problem. */
async function kindOf(answer: RawAnswer | null, sent: FuzzedRequest): Promise<string> {
  const what = JSON.stringify({ ...sent, body: sent.body && Buffer.from(sent.body).toString() });
  if (answer === null) throw new Error(`There was no answer to ${what}`);
  const { body, headers, status } = answer;
  expect(headers["x-request-id"], what).toMatch(/^[0-9a-f-]{36}$/);
  const response = new Response(Buffer.from(body, "latin1"), { status });
  if (status < 400) {
    expect(headers["content-type"], what).toMatch(/^application\/json\b/);
    expect(await response.json(), what).toBeTypeOf("object");
    return String(status);
  }
  expect(status, what).toBeLessThan(500);
  expect(headers["content-type"], what).toBe("application/problem+json; charset=utf-8");
  const problem = await problemIn(response);
  expect([problem.status, problem.requestId], what).toEqual([status, headers["x-request-id"]]);
  expect(body, what).not.toContain(MARKER);
  return problem.code;
}

describe("random requests", () => {
  it("the gateway answers every random request with a success or a problem, and still answers valid requests afterwards", async () => {
    const kinds: string[] = [];
    const batch = fc.array(request, {
      minLength: REQUESTS_OF_A_BATCH,
      maxLength: REQUESTS_OF_A_BATCH,
    });
    await fc.assert(
      fc.asyncProperty(batch, async (requests) => {
        const shares = Map.groupBy(requests, (one) => requests.indexOf(one) % CONNECTIONS);
        const exchanges = await Promise.all([...shares.values()].map(sendAll));
        for (const { answer, sent } of exchanges.flat()) kinds.push(await kindOf(answer, sent));
      }),
      // fast-check need not shrink a failed batch, because the failure already names a single request.
      { seed: SEED, numRuns: BATCHES, endOnFailure: true },
    );

    expect(kinds).toHaveLength(BATCHES * REQUESTS_OF_A_BATCH);
    expect([...new Set(kinds)]).toEqual(expect.arrayContaining([...expectedKinds]));
    expect((await submitApplication(gateway, applicationBody())).status).toBe(201);
  }, 120_000);
});
