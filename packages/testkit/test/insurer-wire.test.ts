import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FaultName } from "../src/index.ts";
import { connectBare, REQUEST } from "./harness/bare-connection.ts";
import { startInsurer } from "./harness/started-insurer.ts";
import { turn } from "./harness/turn.ts";

const BODY = '{"applicationId":"A-1"}';
const confirm = () => ({ status: 201, body: BODY });

function head(framing: string): string {
  return `HTTP/1.1 201 Created\r\ncontent-type: application/json\r\n${framing}\r\nconnection: close\r\n\r\n`;
}

const WHOLE = head("content-length: 23") + BODY;

describe("on the wire", () => {
  const cases: readonly [FaultName, string, "end" | "ECONNRESET"][] = [
    ["reset-after-request", "", "ECONNRESET"],
    ["execute-then-reset", "", "ECONNRESET"],
    [
      "reset-within-headers",
      head("content-length: 23").slice(0, head("content-length: 23").length / 2),
      "ECONNRESET",
    ],
    ["half-body", head("content-length: 23") + BODY.slice(0, 11), "ECONNRESET"],
    ["wrong-length", head("content-length: 24") + BODY, "end"],
    ["chunked-cut", `${head("transfer-encoding: chunked")}17\r\n${BODY}\r\n`, "end"],
  ];

  it.each(cases)("%s is exactly this", async (fault, text, how) => {
    const insurer = await startInsurer({ execute: confirm });
    await insurer.behave(fault);
    const connection = connectBare(insurer.baseUrl);
    connection.send(REQUEST);
    expect(await connection.ended).toEqual({ text, how });
  });

  it.each<[FaultName, string]>([
    ["half-body", "content-length: 1"],
    ["wrong-length", "content-length: 1"],
    ["chunked-cut", "transfer-encoding: chunked"],
  ])("%s cuts an empty answer too", async (fault, framing) => {
    const insurer = await startInsurer({ execute: () => ({ status: 201, body: "" }) });
    await insurer.behave(fault);
    const connection = connectBare(insurer.baseUrl);
    connection.send(REQUEST);
    expect((await connection.ended).text).toBe(head(framing));
  });

  it("accept-and-reset resets a connection over which nothing has come", async () => {
    const insurer = await startInsurer();
    await insurer.behave("accept-and-reset");
    expect(await connectBare(insurer.baseUrl).ended).toEqual({ text: "", how: "ECONNRESET" });
  });

  it("accept-and-reset as a scripted fault strikes one connection, or one request on an older one", async () => {
    const insurer = await startInsurer();
    const older = connectBare(insurer.baseUrl);
    older.send(REQUEST);
    await older.until("premium");
    insurer.script("accept-and-reset");
    older.send(REQUEST);
    expect((await older.ended).how).toBe("ECONNRESET");
    insurer.script("accept-and-reset");
    expect((await connectBare(insurer.baseUrl).ended).how).toBe("ECONNRESET");
    expect(insurer.arrivals()).toHaveLength(1);
    const next = connectBare(insurer.baseUrl);
    next.send(REQUEST);
    expect(await next.until("premium")).toContain("201 Created");
  });

  it("keep-alive-closed answers in full, then resets at the first byte that follows", async () => {
    const insurer = await startInsurer();
    await insurer.behave("keep-alive-closed");
    const connection = connectBare(insurer.baseUrl);
    connection.send(REQUEST);
    const text = await connection.until('"99.00"}');
    expect(text.toLowerCase()).toContain("connection: keep-alive");
    connection.send("P");
    expect(await connection.ended).toEqual({ text, how: "ECONNRESET" });
    expect(insurer.arrivals()).toHaveLength(1);
  });

  it("named-but-undeclared also spoils an answer that is not a JSON object", async () => {
    for (const body of ["[1,2]", "%PDF-", new Uint8Array([0xff])]) {
      const insurer = await startInsurer({ execute: () => ({ status: 200, body }) });
      await insurer.behave("named-but-undeclared");
      const connection = connectBare(insurer.baseUrl);
      connection.send(REQUEST);
      expect((await connection.ended).text).toMatch(/\r\n\r\n\{"extra":true\}$/);
    }
  });
});

describe("in time", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("slow-drip gives one byte each 50 milliseconds, to the end", async () => {
    const insurer = await startInsurer({ execute: confirm });
    await insurer.behave("slow-drip");
    const connection = connectBare(insurer.baseUrl);
    const arrived = insurer.nextArrival();
    connection.send(REQUEST);
    await arrived;
    await timing();
    for (let sent = 1; sent < WHOLE.length; sent++) {
      vi.advanceTimersByTime(50);
      expect(await connection.until(WHOLE.slice(0, sent))).toBe(WHOLE.slice(0, sent));
    }
    vi.advanceTimersByTime(50);
    expect(await connection.ended).toEqual({ text: WHOLE, how: "end" });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("slow-drip stops when its caller is gone", async () => {
    const insurer = await startInsurer();
    await insurer.behave("slow-drip");
    const connection = connectBare(insurer.baseUrl);
    connection.send(REQUEST);
    await timing();
    connection.destroy();
    while (vi.getTimerCount() > 0) await turn();
  });

  it("silence holds the connection open without a timer until the insurer is closed", async () => {
    const insurer = await startInsurer();
    await insurer.behave("silence");
    const connection = connectBare(insurer.baseUrl);
    const arrived = insurer.nextArrival();
    connection.send(REQUEST);
    await arrived;
    await turn();
    expect(vi.getTimerCount()).toBe(0);
    expect(insurer.executed).toEqual([]);
    await insurer.close();
    expect(await connection.ended).toEqual({ text: "", how: "end" });
  });

  it.each([
    ["two minutes", 120_000, {}],
    ["as long as it is told", 7_000, { lateAfterMs: 7_000 }],
  ])("late-answer answers after %s", async (_duration, milliseconds, options) => {
    const insurer = await startInsurer({ execute: confirm, ...options });
    await insurer.behave("late-answer");
    const connection = connectBare(insurer.baseUrl);
    connection.send(REQUEST);
    await timing();
    expect(insurer.executed).toEqual([1]);
    vi.advanceTimersByTime(milliseconds - 1);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await connection.ended).toEqual({ text: WHOLE, how: "end" });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("late-answer keeps no process alive, and is dropped when the insurer is closed", async () => {
    // Not a spy: what it would put back at its end is the held timer.
    const held = globalThis.setTimeout;
    const timers: NodeJS.Timeout[] = [];
    vi.stubGlobal("setTimeout", (...given: Parameters<typeof held>) => {
      const timer = held(...given);
      timers.push(timer);
      return timer;
    });
    const insurer = await startInsurer();
    await insurer.behave("late-answer");
    const connection = connectBare(insurer.baseUrl);
    connection.send(REQUEST);
    await timing();
    vi.unstubAllGlobals();
    expect(timers.map((timer) => timer.hasRef())).toEqual([false]);
    await insurer.close();
    expect(vi.getTimerCount()).toBe(0);
    expect(await connection.ended).toEqual({ text: "", how: "end" });
  });

  it("late-answer is dropped when its caller gives up", async () => {
    const insurer = await startInsurer();
    await insurer.behave("late-answer");
    const connection = connectBare(insurer.baseUrl);
    connection.send(REQUEST);
    await timing();
    connection.destroy();
    while (vi.getTimerCount() > 0) await turn();
    expect(insurer.executed).toEqual([1]);
  });

  it.each<FaultName>(["late-answer", "slow-drip"])(
    "%s begins nothing when its caller gave up before the work was done",
    async (fault) => {
      const held = Promise.withResolvers<ReturnType<typeof confirm>>();
      const insurer = await startInsurer({ execute: () => held.promise });
      await insurer.behave(fault);
      const arrived = insurer.nextArrival();
      connectBare(insurer.baseUrl).send(REQUEST);
      await arrived;
      await insurer.behave("refuse");
      held.resolve(confirm());
      await turn();
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  /** Resolves once something is to come later. */
  async function timing(): Promise<void> {
    while (vi.getTimerCount() === 0) await turn();
  }
});
