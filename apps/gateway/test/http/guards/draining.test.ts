import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { holdTimers } from "../../harness/held-timers.ts";
import { openRaw, type RawConnection } from "../../harness/send-raw.ts";
import { waitTurns } from "../../harness/turns.ts";
import { type HeldListener, startHeldListener } from "./held-listener.ts";

const HELD = "GET /held HTTP/1.1\r\nhost: x\r\n\r\n";
const NOW = "GET /now HTTP/1.1\r\nhost: x\r\n\r\n";
/** Number of bytes of a large answer: more than the system's buffers between two sockets. */
const LARGE = 30_000_000;
/** Notice period of a listener's stop, in milliseconds; longer than the steps of a test during that period. */
const NOTICE_MS = 2_000;

let listener: HeldListener;
let drained: Promise<void> | undefined;
beforeEach(async () => {
  listener = await startHeldListener({ limits: { headersMs: 3_000 } });
  drained = undefined;
});
afterEach(() => drained ?? listener.drain());

async function begin(bytes: string): Promise<RawConnection> {
  const connection = await openRaw(listener.address);
  connection.send(bytes);
  return connection;
}

/** Opens a connection that has received an answer and is kept alive. */
async function keptAlive(): Promise<RawConnection> {
  const connection = await begin(NOW);
  const answer = await connection.answer();
  expect([answer?.status, answer?.headers.connection]).toEqual([200, "keep-alive"]);
  return connection;
}

async function expectLastAnswer(connection: RawConnection, body: string): Promise<void> {
  const answer = await connection.answer();
  expect(answer).toMatchObject({ status: 200, body, headers: { connection: "close" } });
  await connection.ended;
}

/** Resolves as soon as the listener accepts no new connection. */
async function notListening(): Promise<void> {
  const refused = (): Promise<boolean> =>
    openRaw(listener.address).then(
      ({ socket }) => {
        socket.destroy();
        return false;
      },
      () => true,
    );
  await expect.poll(refused).toBe(true);
}

describe("a stop during its notice period", () => {
  it("a stopping listener accepts requests during the notice period of the stop, and closes each connection after an answer", async () => {
    const old = await keptAlive();
    const inFlight = await begin(HELD);
    const request = await listener.nextRequest();
    drained = listener.drain(NOTICE_MS);

    await expectLastAnswer(await begin(NOW), "now");
    old.send(NOW);
    await expectLastAnswer(old, "now");
    request.answer("held");
    await expectLastAnswer(inFlight, "held");

    await drained;
    await expect(openRaw(listener.address)).rejects.toThrow("ECONNREFUSED");
  });

  it("a stopping listener closes unused connections after the notice period of the stop", async () => {
    const idle = await keptAlive();
    drained = listener.drain(50);
    expect(await idle.answer()).toBeNull();
    await drained;
  });

  it("a listener without connections stops at once", async () => {
    const never = await startHeldListener();
    await never.drain(50);
    await never.drain(50);
  });
});

describe("a stop after its notice period", () => {
  it("a stopping listener accepts no new connection after the notice period of the stop, and waits for running requests", async () => {
    const inFlight = await begin(HELD);
    const request = await listener.nextRequest();
    drained = listener.drain();
    await notListening();
    request.answer("held");
    await expectLastAnswer(inFlight, "held");
    await drained;
  });

  it("a stopping listener serves a request that was still arriving when the notice period of the stop ended", async () => {
    const first = await begin(NOW.slice(0, 20));
    const second = await keptAlive();
    second.send(NOW.slice(0, 20));
    const silent = await openRaw(listener.address);
    drained = listener.drain();
    // The listener closes a connection that has sent nothing.
    await silent.ended;
    first.send(NOW.slice(20));
    await expectLastAnswer(first, "now");
    second.send(NOW.slice(20));
    await expectLastAnswer(second, "now");
    await drained;
  });

  it("a stopping listener waits for an incomplete request only until the configured time limit of requests", async () => {
    const impatient = await startHeldListener({ limits: { headersMs: 300 } });
    const connection = await openRaw(impatient.address);
    connection.send(NOW.slice(0, 20));
    connection.socket.once("data", () => connection.socket.end());
    await impatient.drain();
    expect((await connection.answer())?.status).toBe(400);
  });

  it("a stopping listener lets a caller read an answer that the listener has already written", async () => {
    const slow = await begin(HELD);
    let characters = 0;
    slow.socket.on("data", (piece: string) => {
      characters += piece.length;
    });
    slow.socket.pause();
    const request = await listener.nextRequest();
    request.answer("x".repeat(LARGE));
    const silent = await openRaw(listener.address);
    drained = listener.drain();
    await silent.ended;
    slow.socket.resume();
    await drained;
    expect(await request.leftWhole).toBe(true);
    await slow.ended;
    expect(characters).toBeGreaterThan(LARGE);
  });

  it("a stopping listener completes an answer whose sending has begun, and then closes the connection", async () => {
    const connection = await begin(HELD);
    const began = new Promise((resolve) => connection.socket.once("data", resolve));
    let text = "";
    connection.socket.on("data", (piece: string) => {
      text += piece;
    });
    const request = await listener.nextRequest();
    const last = Promise.withResolvers<string>();
    request.answer("first", last.promise);
    await began;
    drained = listener.drain();
    await notListening();
    last.resolve("last");
    await connection.ended;
    expect(text).toMatch(/connection: keep-alive\r\n.*first\r\n4\r\nlast\r\n0\r\n\r\n$/is);
    await drained;
  });
});

describe("a stop that a caller delays", () => {
  beforeEach(() => {
    holdTimers(["setTimeout", "clearTimeout", "setInterval", "clearInterval"]);
  });
  /** Resolves when the notice period of the stop is over. Does not use `expect.poll`, which would advance the clock. */
  async function timersSet(): Promise<void> {
    while (vi.getTimerCount() < 3) await new Promise(setImmediate);
  }
  /** Runs all work that the timers have started. */
  async function settle(): Promise<void> {
    await waitTurns(20);
  }

  it("a stopping listener waits one second for the first byte of a connection that has sent nothing", async () => {
    const limits = { headersMs: 600_000, requestMs: 600_000 };
    const patient = await startHeldListener({ limits });
    const silent = await openRaw(patient.address);
    let isOver = false;
    const over = patient.drain().then(() => {
      isOver = true;
    });
    await timersSet();
    vi.advanceTimersByTime(999);
    await settle();
    expect(isOver).toBe(false);
    vi.advanceTimersByTime(1);
    await silent.ended;
    await over;
    expect(vi.getTimerCount()).toBe(0);
  });

  it("a stopping listener waits ten seconds longer than the longest call if a caller does not read the answer", async () => {
    const connection = await begin(HELD);
    connection.socket.pause();
    const request = await listener.nextRequest();
    request.answer("x".repeat(LARGE));
    let isOver = false;
    drained = listener.drain().then(() => {
      isOver = true;
    });
    await timersSet();
    vi.advanceTimersByTime(69_999);
    await settle();
    expect(isOver).toBe(false);
    vi.advanceTimersByTime(1);
    await drained;
    expect(await request.leftWhole).toBe(false);
    connection.socket.destroy();
  });
});
