import { setImmediate } from "node:timers/promises";
import { generate } from "selfsigned";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Certificate } from "../../src/configuration/certificate.ts";
import {
  createPausedConnections,
  type Pausable,
  type PausedConnections,
} from "../../src/listener/paused-connections.ts";
import { openRaw, type RawConnection } from "../harness/send-raw.ts";
import { type HeldListener, startHeldListener } from "./held-listener.ts";

describe("a connection whose request was answered", () => {
  let waiting: number;
  let now: number;
  let events: string[];
  let paused: PausedConnections;
  beforeEach(() => {
    waiting = 64;
    now = 0;
    events = [];
    paused = createPausedConnections({
      waiting: () => waiting,
      longestPauseMs: () => 1_000,
      clock: () => now,
    });
  });

  /** A connection that reports what is done with it. */
  function connection(name: string): Pausable {
    return {
      writable: true,
      pause() {
        events.push(`pause ${name}`);
        return this as ReturnType<Pausable["pause"]>;
      },
      resume() {
        events.push(`resume ${name}`);
        return this as ReturnType<Pausable["resume"]>;
      },
    };
  }

  it("is read on while fewer than 64 requests wait", async () => {
    waiting = 63;
    paused.answered(connection("a"));
    await setImmediate();
    expect(events).toEqual([]);
  });

  it("is not read while 64 wait; then as many are read as there is room for, in their order", async () => {
    for (const name of ["a", "b", "c"]) paused.answered(connection(name));
    await setImmediate();
    await setImmediate();
    expect(events.splice(0)).toEqual(["pause a", "pause b", "pause c"]);
    waiting = 62;
    await setImmediate();
    expect(events.splice(0)).toEqual(["resume a", "resume b"]);
    await setImmediate();
    expect(events.splice(0)).toEqual(["resume c"]);
    paused.answered(connection("a"));
    expect(events).toEqual([]);
  });

  it("is not read before another that was paused earlier, also when fewer wait again", async () => {
    paused.answered(connection("a"));
    waiting = 63;
    paused.answered(connection("b"));
    await setImmediate();
    expect(events).toEqual(["pause a", "pause b", "resume a"]);
    await setImmediate();
    expect(events.slice(3)).toEqual(["resume b"]);
  });

  it("is read after the longest pause, however many wait", async () => {
    paused.answered(connection("a"));
    now = 1;
    paused.answered(connection("b"));
    now = 999;
    await setImmediate();
    expect(events.splice(0)).toEqual(["pause a", "pause b"]);
    now = 1_000;
    await setImmediate();
    expect(events.splice(0)).toEqual(["resume a"]);
    now = 1_001;
    await setImmediate();
    expect(events).toEqual(["resume b"]);
  });

  it("is read at the end, and none is paused after it", async () => {
    paused.answered(connection("a"));
    paused.end();
    paused.answered(connection("b"));
    await setImmediate();
    expect(events).toEqual(["pause a", "resume a"]);
  });

  it("is not paused when it ends with its answer", async () => {
    paused.answered({ ...connection("a"), writable: false });
    await setImmediate();
    expect(events).toEqual([]);
  });

  it("takes no room when it has ended meanwhile", async () => {
    const ended = { ...connection("a"), writable: true };
    paused.answered(ended);
    for (const name of ["b", "c"]) paused.answered(connection(name));
    ended.writable = false;
    waiting = 63;
    await setImmediate();
    expect(events.slice(3)).toEqual(["resume a", "resume b"]);
    await setImmediate();
  });

  it("is read after others when it was paused again", async () => {
    const again = connection("a");
    paused.answered(again);
    paused.answered(connection("b"));
    paused.answered(again);
    waiting = 63;
    await setImmediate();
    expect(events.slice(3)).toEqual(["resume b"]);
    await setImmediate();
  });
});

describe.each([
  ["over HTTP", null],
  ["over TLS", await selfSigned()],
])("100 callers of a busy gateway %s", (_, tls) => {
  const NOW = "GET /now HTTP/1.1\r\nhost: x\r\n\r\n";
  const BUSY = "GET /busy HTTP/1.1\r\nhost: x\r\n\r\n";
  let listener: HeldListener;
  let callers: readonly RawConnection[];
  let drained: Promise<void> | undefined;
  beforeEach(async () => {
    listener = await startHeldListener(tls === null ? {} : { tls });
    drained = undefined;
    callers = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const caller = await openRaw(listener.address);
        caller.send(NOW);
        expect((await caller.answer())?.body).toBe("now");
        return caller;
      }),
    );
  });
  afterEach(async () => {
    for (const { socket } of callers) socket.destroy();
    await (drained ?? listener.drain());
  });

  /** Sends a request over each connection. Some are answered while most of the others still wait. */
  async function keepBusy(): Promise<readonly RawConnection[]> {
    for (const caller of callers) caller.send(BUSY);
    const first = callers.slice(0, 3);
    for (const caller of first) expect((await caller.answer())?.body).toBe("busy");
    return first;
  }

  it("are not read while 64 requests wait, and are all answered", async () => {
    await keepBusy();
    const paused = listener.paused();
    expect(paused.length).toBeGreaterThan(0);
    const before = new Map(paused.map((socket) => [socket, socket.bytesRead]));
    for (const caller of callers) caller.send(NOW);
    // What was sent arrives meanwhile.
    expect((await callers[3]?.answer())?.body).toBe("busy");
    for (const socket of listener.paused())
      if (before.has(socket)) expect(socket.bytesRead).toBe(before.get(socket));
    for (const caller of callers.slice(4)) expect((await caller.answer())?.body).toBe("busy");
    for (const caller of callers) expect((await caller.answer())?.body).toBe("now");
    await expect.poll(() => listener.paused()).toEqual([]);
  });

  it("are answered although others have gone while they were not read", async () => {
    const first = await keepBusy();
    for (const { socket } of first) socket.destroy();
    for (const caller of callers.slice(3)) expect((await caller.answer())?.body).toBe("busy");
    await expect.poll(() => listener.paused()).toEqual([]);
  });

  it("are answered what they have sent when the gateway stops", async () => {
    const first = await keepBusy();
    for (const caller of first) caller.send(NOW);
    drained = listener.drain();
    for (const caller of first)
      expect(await caller.answer()).toMatchObject({
        body: "now",
        headers: { connection: "close" },
      });
  });
});

/** A certificate that signs itself. */
async function selfSigned(): Promise<Certificate> {
  const { cert, private: key } = await generate([{ name: "commonName", value: "gateway" }]);
  return { certificate: cert, key };
}
