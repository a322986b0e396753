import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type FaultName, insurerFaults, startFaultInjectingInsurer } from "../src/index.ts";
import { connectBare, REQUEST } from "./harness/bare-connection.ts";
import { failureOf, submit, textOf } from "./harness/calls.ts";
import { CONFIRMED, startInsurer } from "./harness/started-insurer.ts";

/** A file of a folder that is removed when the test ends. */
function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "testkit-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "arrivals.jsonl");
}

describe("an insurer without a fault", () => {
  it("answers with what it is given, and keeps the connection", async () => {
    const insurer = await startInsurer({
      execute: ({ number }) => ({
        status: 200,
        headers: { "Content-Type": "text/plain", etag: '"1"' },
        body: new TextEncoder().encode(`Ω${number}`),
      }),
    });
    const connection = connectBare(insurer.baseUrl);
    connection.send(REQUEST);
    const first = (await connection.until("\u00ce\u00a91")).toLowerCase();
    for (const header of ["content-type: text/plain", 'etag: "1"', "content-length: 3"])
      expect(first).toContain(`\r\n${header}\r\n`);
    expect(first).not.toContain("application/json");
    expect(first).not.toContain("connection: close");
    connection.send(REQUEST);
    await connection.until("\u00ce\u00a92");
  });

  it("calls an answer JSON that does not say what it is", async () => {
    const insurer = await startInsurer();
    const response = await submit(insurer.baseUrl);
    expect(response).toMatchObject({
      status: 201,
      headers: { "content-type": "application/json" },
    });
    expect(await textOf(response)).toBe(CONFIRMED.body);
  });

  it("may answer later", async () => {
    const held = Promise.withResolvers<typeof CONFIRMED>();
    const insurer = await startInsurer({ execute: () => held.promise });
    const arrived = insurer.nextArrival();
    const response = submit(insurer.baseUrl);
    await arrived;
    held.resolve(CONFIRMED);
    expect((await response).status).toBe(201);
  });

  it("breaks the connection when its work fails, and says so when it is closed", async () => {
    const insurer = await startInsurer({
      execute() {
        throw new RangeError("No such tariff");
      },
    });
    expect(await failureOf(submit(insurer.baseUrl))).toMatchObject({ detail: "ECONNRESET" });
    expect(await failureOf(insurer.close())).toEqual(new RangeError("No such tariff"));
  });
});

describe("the log", () => {
  it("has each request as it came, without its credentials", async () => {
    const insurer = await startInsurer();
    await submit(insurer.baseUrl, {
      url: `${insurer.baseUrl}/applications/A?afm=1&q=?`,
      headers: { Authorization: "Bearer canary", "X-Request-Id": "7", "Idempotency-Key": "bare" },
      body: "Ελένη",
    });
    await submit(insurer.baseUrl, { method: "GET", headers: {} });
    const [first, second] = insurer.arrivals();
    expect(first).toMatchObject({
      number: 1,
      method: "POST",
      path: "/applications/A",
      query: "afm=1&q=?",
      reference: "bare",
      headers: { "x-request-id": "7", "idempotency-key": "bare" },
      body: "Ελένη",
    });
    expect(JSON.stringify(first)).not.toMatch(/canary|authorization/);
    expect(second).toMatchObject({ number: 2, method: "GET", query: "", reference: null });
  });

  it("has a request before anything is done with it", async () => {
    const log = temporaryFile();
    const found: string[] = [];
    const insurer = await startInsurer({
      log,
      execute() {
        found.push(readFileSync(log, "utf8"));
        return CONFIRMED;
      },
    });
    await submit(insurer.baseUrl);
    expect(found).toEqual([`${JSON.stringify(insurer.arrivals()[0])}\n`]);
  });

  it("is counted on by the insurer that comes after a crash, without its half line", async () => {
    const log = temporaryFile();
    const first = await startInsurer({ log });
    await submit(first.baseUrl);
    await first.close();
    const before = readFileSync(log, "utf8");
    writeFileSync(log, `${before}{"number":2,"met`);
    const second = await startInsurer({ log });
    expect(second.arrivals().map(({ number }) => number)).toEqual([1]);
    await submit(second.baseUrl);
    expect(second.arrivals().map(({ number }) => number)).toEqual([1, 2]);
    expect(readFileSync(log, "utf8").startsWith(`${before}{"number":2,"method":"POST"`)).toBe(true);
  });

  it("has no request whose end never came", async () => {
    const insurer = await startInsurer();
    const connection = connectBare(insurer.baseUrl);
    connection.send(REQUEST.slice(0, -1));
    connection.destroy();
    await submit(insurer.baseUrl);
    await insurer.close();
    expect(insurer.arrivals().map(({ body }) => body)).toEqual(['{"make":"TOY"}']);
  });

  it("tells of the next request once it is written down", async () => {
    const insurer = await startInsurer();
    await insurer.behave("reset-after-request");
    const seen = insurer.nextArrival().then((arrival) => [arrival, insurer.arrivals().at(-1)]);
    await failureOf(submit(insurer.baseUrl));
    const [told, written] = await seen;
    expect(told).toMatchObject({ number: 1, reference: "R-1" });
    expect(written).toEqual(told);
  });

  it("that is left behind by a failed start is closed", async () => {
    const { baseUrl } = await startInsurer();
    const options = { execute: () => CONFIRMED, port: Number(new URL(baseUrl).port) };
    expect(await failureOf(startFaultInjectingInsurer(options))).toMatchObject({
      code: "EADDRINUSE",
    });
  });
});

describe("telling the insurer what to do", () => {
  async function statuses(baseUrl: string, count: number): Promise<readonly number[]> {
    const found: number[] = [];
    while (found.length < count) found.push((await submit(baseUrl)).status);
    return found;
  }

  it("holds for every request until it is told otherwise", async () => {
    const insurer = await startInsurer();
    await insurer.behave("busy");
    expect(await statuses(insurer.baseUrl, 2)).toEqual([429, 429]);
    await insurer.behave("conflict");
    expect(await statuses(insurer.baseUrl, 1)).toEqual([409]);
    await insurer.behave(null);
    expect(await statuses(insurer.baseUrl, 1)).toEqual([201]);
  });

  it("by a script holds for one request each, before what stands", async () => {
    const insurer = await startInsurer();
    await insurer.behave("unavailable");
    insurer.script("busy", null);
    insurer.script("conflict");
    expect(await statuses(insurer.baseUrl, 5)).toEqual([429, 201, 409, 503, 503]);
  });

  it("anew drops what is left of a script", async () => {
    const insurer = await startInsurer();
    insurer.script("busy", "conflict");
    expect(await statuses(insurer.baseUrl, 1)).toEqual([429]);
    await insurer.behave(null);
    expect(await statuses(insurer.baseUrl, 1)).toEqual([201]);
  });

  it("to refuse one request is a mistake, and none of that script holds", async () => {
    const insurer = await startInsurer();
    expect(() => insurer.script("busy", "refuse")).toThrow(TypeError);
    expect(() => insurer.script("refuse")).toThrow('say behave("refuse")');
    expect(await statuses(insurer.baseUrl, 1)).toEqual([201]);
  });

  it.each<FaultName | null>([null, "busy", "refuse"])(
    "%s closes the connections that wait for another request",
    async (fault) => {
      const insurer = await startInsurer();
      const connection = connectBare(insurer.baseUrl);
      connection.send(REQUEST);
      const text = await connection.until('"99.00"}');
      await insurer.behave(fault);
      expect(await connection.ended).toEqual({ text, how: "end" });
    },
  );

  it("while it works normally under a standing fault closes the connection after the answer", async () => {
    const insurer = await startInsurer();
    await insurer.behave("silence");
    insurer.script(null);
    const connection = connectBare(insurer.baseUrl);
    connection.send(REQUEST);
    const { text, how } = await connection.ended;
    expect(text.toLowerCase()).toContain("connection: close");
    expect([text.endsWith('"99.00"}'), how]).toEqual([true, "end"]);
  });
});

describe("closing", () => {
  it("leaves the given log, and nothing that listens", async () => {
    const log = temporaryFile();
    const insurer = await startInsurer({ log });
    await submit(insurer.baseUrl);
    await insurer.close();
    await insurer.close();
    expect(existsSync(log)).toBe(true);
    expect(insurer.arrivals()).toHaveLength(1);
    expect(await failureOf(submit(insurer.baseUrl))).toMatchObject({ detail: "ECONNREFUSED" });
  });

  it("works while it refuses, and while work is not done yet", async () => {
    const held = Promise.withResolvers<typeof CONFIRMED>();
    const insurer = await startInsurer({ execute: () => held.promise });
    const arrived = insurer.nextArrival();
    const failure = failureOf(submit(insurer.baseUrl));
    await arrived;
    await insurer.behave("refuse");
    await insurer.close();
    held.resolve(CONFIRMED);
    expect(await failure).toMatchObject({ phase: "wait" });
    expect(insurer.executed).toEqual([1]);
  });
});

describe("the faults", () => {
  it("each have one line that completes a sentence", () => {
    const lines = Object.values(insurerFaults).map(({ description }) => description);
    expect(lines.filter((line) => !/^[a-z][^\n|]+[^.\n|]$/.test(line))).toEqual([]);
    expect(new Set(lines).size).toBe(lines.length);
  });

  it("carry the request out where they say so, and these do", () => {
    const executing = Object.entries(insurerFaults).filter(([, { executes }]) => executes);
    expect(executing.map(([name]) => name).toSorted()).toEqual([
      "chunked-cut",
      "execute-then-504",
      "execute-then-reset",
      "garbage-success",
      "half-body",
      "keep-alive-closed",
      "late-answer",
      "named-but-undeclared",
      "reset-within-headers",
      "slow-drip",
      "undeclared-success",
      "wrong-length",
    ]);
  });
});
