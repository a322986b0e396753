import { describe, expect, it } from "vitest";
import { type FaultName, insurerFaults } from "../../src/index.ts";
import { connectBare, REQUEST } from "../harness/bare-connection.ts";
import { failureOf, submit, textOf } from "../harness/calls.ts";
import { CONFIRMED, startInsurer } from "../harness/started-insurer.ts";

describe("a test insurer without a fault", () => {
  it("a test insurer without a fault sends the given answer and keeps the connection open", async () => {
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

  it("an answer without a content type is sent as JSON", async () => {
    const insurer = await startInsurer();
    const response = await submit(insurer.baseUrl);
    expect(response).toMatchObject({
      status: 201,
      headers: { "content-type": "application/json" },
    });
    expect(await textOf(response)).toBe(CONFIRMED.body);
  });

  it("a test insurer answers a request when the asynchronous work for the request is done", async () => {
    const held = Promise.withResolvers<typeof CONFIRMED>();
    const insurer = await startInsurer({ execute: () => held.promise });
    const arrived = insurer.nextArrival();
    const response = submit(insurer.baseUrl);
    await arrived;
    held.resolve(CONFIRMED);
    expect((await response).status).toBe(201);
  });

  it("a test insurer resets the connection if the work for a request throws, and `close` rejects with the error of the work", async () => {
    const insurer = await startInsurer({
      execute() {
        throw new RangeError("No such tariff");
      },
    });
    expect(await failureOf(submit(insurer.baseUrl))).toMatchObject({ detail: "ECONNRESET" });
    expect(await failureOf(insurer.close())).toEqual(new RangeError("No such tariff"));
  });
});

describe("instructions to the test insurer", () => {
  async function statuses(baseUrl: string, count: number): Promise<readonly number[]> {
    const found: number[] = [];
    while (found.length < count) found.push((await submit(baseUrl)).status);
    return found;
  }

  it("a fault of the test insurer applies to every request until the next instruction to the test insurer", async () => {
    const insurer = await startInsurer();
    await insurer.behave("busy");
    expect(await statuses(insurer.baseUrl, 2)).toEqual([429, 429]);
    await insurer.behave("conflict");
    expect(await statuses(insurer.baseUrl, 1)).toEqual([409]);
    await insurer.behave(null);
    expect(await statuses(insurer.baseUrl, 1)).toEqual([201]);
  });

  it("each step of a test insurer's script applies to one request, and has priority over the current fault", async () => {
    const insurer = await startInsurer();
    await insurer.behave("unavailable");
    insurer.script("busy", null);
    insurer.script("conflict");
    expect(await statuses(insurer.baseUrl, 5)).toEqual([429, 201, 409, 503, 503]);
  });

  it("a new instruction to the test insurer drops the remaining steps of the current script", async () => {
    const insurer = await startInsurer();
    insurer.script("busy", "conflict");
    expect(await statuses(insurer.baseUrl, 1)).toEqual([429]);
    await insurer.behave(null);
    expect(await statuses(insurer.baseUrl, 1)).toEqual([201]);
  });

  it("a script that contains the fault `refuse` is an error, and the test insurer ignores the whole script", async () => {
    const insurer = await startInsurer();
    expect(() => insurer.script("busy", "refuse")).toThrow(TypeError);
    expect(() => insurer.script("refuse")).toThrow('call behave("refuse")');
    expect(await statuses(insurer.baseUrl, 1)).toEqual([201]);
  });

  it.each<FaultName | null>([null, "busy", "refuse"])(
    "an instruction to the test insurer closes idle connections and waits until the callers have noticed: %s",
    async (fault) => {
      const insurer = await startInsurer();
      const connection = connectBare(insurer.baseUrl);
      connection.send(REQUEST);
      const text = await connection.until('"99.00"}');
      await insurer.behave(fault);
      expect(connection.hasNoticedEnd()).toBe(true);
      expect(await connection.ended).toEqual({ text, how: "end" });
    },
  );

  it("an instruction to the test insurer ends an idle connection even if the caller keeps the connection half open", async () => {
    const insurer = await startInsurer();
    const connection = connectBare(insurer.baseUrl, { allowHalfOpen: true });
    connection.send(REQUEST);
    await connection.until('"99.00"}');
    await insurer.behave("busy");
    expect(connection.hasNoticedEnd()).toBe(true);
  });

  it("the test insurer does not process a request that arrives while an instruction closes the connection", async () => {
    const insurer = await startInsurer();
    const connection = connectBare(insurer.baseUrl);
    connection.send(REQUEST);
    await connection.until('"99.00"}');
    const told = insurer.behave(null);
    connection.send(REQUEST);
    await told;
    await connection.ended;
    expect(insurer.arrivals()).toHaveLength(1);
  });

  it("an instruction to the test insurer does not close a connection on which a request is still being answered", async () => {
    const held = Promise.withResolvers<typeof CONFIRMED>();
    const insurer = await startInsurer({
      execute: ({ number }) => (number === 1 ? CONFIRMED : held.promise),
    });
    const connection = connectBare(insurer.baseUrl);
    connection.send(REQUEST);
    const first = await connection.until('"99.00"}');
    const arrived = insurer.nextArrival();
    connection.send(REQUEST);
    await arrived;
    await insurer.behave("busy");
    held.resolve({ status: 201, body: '"the second"' });
    expect((await connection.until('"the second"')).startsWith(first)).toBe(true);
  });

  it("the instruction `refuse` rejects new connections at once, even if an earlier instruction waits for callers to disconnect", async () => {
    const insurer = await startInsurer();
    const slow = connectBare(insurer.baseUrl, { allowHalfOpen: true });
    slow.send(REQUEST);
    await slow.until('"99.00"}');
    const told = Promise.all([insurer.behave("busy"), insurer.behave("refuse")]);
    const connection = connectBare(insurer.baseUrl);
    connection.send(REQUEST);
    expect(await connection.ended).toMatchObject({ text: "" });
    expect(insurer.arrivals()).toHaveLength(1);
    await told;
  });

  it("the instruction `refuse` takes effect even if the test insurer is about to accept connections again", async () => {
    const insurer = await startInsurer();
    await insurer.behave("refuse");
    await Promise.all([insurer.behave(null), insurer.behave("refuse")]);
    expect(await failureOf(submit(insurer.baseUrl))).toMatchObject({ detail: "ECONNREFUSED" });
  });

  it("the test insurer closes the connection after a normal answer from a script if a fault is set for later requests", async () => {
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

describe("the list of faults", () => {
  it("every fault of the test insurer has a unique description of one line", () => {
    const lines = Object.values(insurerFaults).map(({ description }) => description);
    expect(lines.filter((line) => !/^[a-z][^\n|]+[^.\n|]$/.test(line))).toEqual([]);
    expect(new Set(lines).size).toBe(lines.length);
  });

  it("the test insurer executes a request despite a fault only if the fault is in a fixed list", () => {
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
