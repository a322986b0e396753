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

/** Starts an insurer with a fault, and sends a request. */
async function sendTo(fault: FaultName, options?: Parameters<typeof startInsurer>[0]) {
  const insurer = await startInsurer(options);
  await insurer.behave(fault);
  const connection = connectBare(insurer.baseUrl);
  connection.send(REQUEST);
  return { connection, insurer };
}

const WHOLE = head("content-length: 23") + BODY;

describe("faults on the wire", () => {
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

  it.each(cases)(
    "the test insurer's fault %s sends the expected bytes and ends the connection in the expected way",
    async (fault, text, how) => {
      const { connection } = await sendTo(fault, { execute: confirm });
      expect(await connection.ended).toEqual({ text, how });
    },
  );

  it.each<[FaultName, string]>([
    ["half-body", "content-length: 1"],
    ["wrong-length", "content-length: 1"],
    ["chunked-cut", "transfer-encoding: chunked"],
  ])("the test insurer's fault %s truncates even an empty answer", async (fault, framing) => {
    const { connection } = await sendTo(fault, { execute: () => ({ status: 201, body: "" }) });
    expect((await connection.ended).text).toBe(head(framing));
  });

  it("the test insurer's fault `accept-and-reset` resets a new connection before any bytes arrive", async () => {
    const insurer = await startInsurer();
    await insurer.behave("accept-and-reset");
    expect(await connectBare(insurer.baseUrl).ended).toEqual({ text: "", how: "ECONNRESET" });
  });

  it("the test insurer's scripted fault `accept-and-reset` affects one new connection, or one request on an older connection", async () => {
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

  it("the test insurer's fault `keep-alive-closed` sends the complete answer, then resets the connection at the next byte", async () => {
    const { connection, insurer } = await sendTo("keep-alive-closed");
    const text = await connection.until('"99.00"}');
    expect(text.toLowerCase()).toContain("connection: keep-alive");
    connection.send("P");
    expect(await connection.ended).toEqual({ text, how: "ECONNRESET" });
    expect(insurer.arrivals()).toHaveLength(1);
  });

  it("the test insurer's fault `named-but-undeclared` alters even an answer that is not a JSON object", async () => {
    for (const body of ["[1,2]", "%PDF-", new Uint8Array([0xff])]) {
      const { connection } = await sendTo("named-but-undeclared", {
        execute: () => ({ status: 200, body }),
      });
      expect((await connection.ended).text).toMatch(/\r\n\r\n\{"extra":true\}$/);
    }
  });
});

describe("faults over time", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("the test insurer's fault `slow-drip` sends one byte every 50 milliseconds until the answer is complete", async () => {
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

  it("the test insurer's fault `slow-drip` stops if the caller disconnects", async () => {
    const { connection } = await sendTo("slow-drip");
    await timing();
    connection.destroy();
    while (vi.getTimerCount() > 0) await turn();
  });

  it("the test insurer's fault `silence` keeps the connection open without a timer until the test insurer closes", async () => {
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
    ["two minutes by default", 120_000, {}],
    ["the configured 7 seconds", 7_000, { lateAfterMs: 7_000 }],
  ])(
    "the test insurer's fault `late-answer` sends the answer after %s",
    async (_duration, milliseconds, options) => {
      const { connection, insurer } = await sendTo("late-answer", { execute: confirm, ...options });
      await timing();
      expect(insurer.executed).toEqual([1]);
      vi.advanceTimersByTime(milliseconds - 1);
      expect(vi.getTimerCount()).toBe(1);
      vi.advanceTimersByTime(1);
      expect(await connection.ended).toEqual({ text: WHOLE, how: "end" });
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  it("the test insurer's fault `late-answer` does not keep the process alive, and closing the test insurer drops the answer", async () => {
    // A spy would restore the fake timer at its end, so the function is replaced by hand.
    const held = globalThis.setTimeout;
    const timers: NodeJS.Timeout[] = [];
    vi.stubGlobal("setTimeout", (...given: Parameters<typeof held>) => {
      const timer = held(...given);
      timers.push(timer);
      return timer;
    });
    const { connection, insurer } = await sendTo("late-answer");
    await timing();
    vi.unstubAllGlobals();
    expect(timers.map((timer) => timer.hasRef())).toEqual([false]);
    await insurer.close();
    expect(vi.getTimerCount()).toBe(0);
    expect(await connection.ended).toEqual({ text: "", how: "end" });
  });

  it("the test insurer's fault `late-answer` drops the answer if the caller disconnects", async () => {
    const { connection, insurer } = await sendTo("late-answer");
    await timing();
    connection.destroy();
    while (vi.getTimerCount() > 0) await turn();
    expect(insurer.executed).toEqual([1]);
  });

  it.each<FaultName>(["late-answer", "slow-drip"])(
    "the test insurer's fault %s starts no timer if the connection closes before the test insurer's work is done",
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

  /** Resolves when a timer is pending. */
  async function timing(): Promise<void> {
    while (vi.getTimerCount() === 0) await turn();
  }
});
