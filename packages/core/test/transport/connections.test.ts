import { once } from "node:events";
import { describe, expect, it, vi } from "vitest";
import type { ConnectionChoice, ConnectionSettings } from "../../src/transport/index.ts";
import { bareInsurer, ok, turns } from "../harness/bare-server.ts";
import { failureOf } from "../harness/failure.ts";
import { holdTime } from "../harness/held-time.ts";
import { NOBODY_LISTENS } from "../harness/listen.ts";
import { exchange, transport } from "../harness/send.ts";

const path = (request: string): string => request.replace("GET /", "");

describe("the choice of a connection", () => {
  it("a request for a `fresh` connection reuses a connection only within a second after the connection's last answer", async () => {
    holdTime();
    const insurer = await bareInsurer(() => ok("x"));
    const one = transport();
    const opened: boolean[] = [];
    for (const waitMs of [0, 999, 1_000]) {
      vi.advanceTimersByTime(waitMs);
      opened.push((await exchange(one, insurer.address, "fresh")).isNewConnection);
      await turns();
    }
    expect(opened).toEqual([true, false, true]);
    expect(insurer.connections).toHaveLength(2);
  });

  type Wanted = readonly [choice: ConnectionChoice, owner: string | undefined];
  const any = (owner?: string): Wanted => ["any", owner];
  const fresh = (owner?: string): Wanted => ["fresh", owner];
  const unshared = (owner?: string): Wanted => ["new", owner];

  it.each<[string, readonly Wanted[], readonly boolean[], ConnectionSettings?]>([
    [
      "a `fresh` connection of the same owner is used again",
      [fresh("a"), fresh("a")],
      [true, false],
    ],
    ["another owner's connection is not used", [fresh("a"), fresh("b")], [true, true]],
    ["another owner's `new` connection is not used", [unshared("a"), fresh("b")], [true, true]],
    [
      "a `new` connection is never used again",
      [unshared("a"), fresh("a"), unshared("a"), unshared("a"), any("a")],
      [true, true, true, true, true],
    ],
    [
      "an owner's connection is not used for a request without an owner",
      [fresh("a"), fresh()],
      [true, true],
    ],
    [
      "a connection that carried a request for `any` connection is not used as a `fresh` connection",
      [any("a"), fresh("a")],
      [true, true],
    ],
    [
      "the owner's connection is found among several connections",
      [fresh("a"), fresh("b"), fresh("a"), any(), fresh("b"), any()],
      [true, true, false, true, false, false],
    ],
    [
      "a `fresh` connection is not used for a request for `any` connection",
      [fresh("a"), any("a"), any("a")],
      [true, true, false],
    ],
    [
      "requests for `any` connection use the connections of their own owner, or those without an owner",
      [any("a"), any("b"), any(), any("a"), any("b"), any()],
      [true, true, true, false, false, false],
    ],
    [
      "another owner's idle connection is replaced if the maximum of connections is reached",
      [any("a"), any("b"), any("b"), any("a")],
      [true, true, false, true],
      { connections: 1 },
    ],
  ])(
    "the transport chooses a connection by the connection's owner and earlier requests: %s",
    async (_, requests, expected, settings) => {
      holdTime();
      const insurer = await bareInsurer(() => ok("x"));
      const one = transport(settings);
      const opened: boolean[] = [];
      for (const [choice, owner] of requests) {
        const url = `${insurer.address}/${owner}`;
        opened.push((await exchange(one, url, choice, owner)).isNewConnection);
        await turns();
      }
      expect(opened).toEqual(expected);
      expect(insurer.connections).toHaveLength(expected.filter((isNew) => isNew).length);
      for (const carried of insurer.requests) expect(new Set(carried).size).toBe(1);
    },
  );

  it.each([1, 2])(
    "the transport does not use a connection as a `fresh` connection if the insurer's Keep-Alive timeout is %i s",
    async (seconds) => {
      const insurer = await bareInsurer(() => ok("x", `keep-alive: timeout=${seconds}`));
      const one = transport();
      await exchange(one, insurer.address, "fresh");
      await turns();
      expect((await exchange(one, insurer.address, "fresh")).isNewConnection).toBe(true);
    },
  );

  it("a connection counts as `fresh` only for half of the idle time after which the insurer closed an earlier connection", async () => {
    holdTime();
    const insurer = await bareInsurer(() => ok("x"));
    const one = transport();
    const isNewAfter = async (waitMs: number): Promise<boolean> => {
      vi.advanceTimersByTime(waitMs);
      const { isNewConnection } = await exchange(one, insurer.address, "fresh");
      await turns();
      return isNewConnection;
    };
    await isNewAfter(0);
    vi.advanceTimersByTime(100);
    insurer.connections[0]?.destroy();
    await turns();
    expect(await isNewAfter(0)).toBe(true);
    expect(await isNewAfter(49)).toBe(false);
    expect(await isNewAfter(50)).toBe(true);
    // The early closing was ten minutes ago, so it no longer counts.
    expect(await isNewAfter(600_000)).toBe(true);
    expect(await isNewAfter(999)).toBe(false);
  });

  it("the transport opens a new connection if the insurer closes the last connection before the request is written", async () => {
    const insurer = await bareInsurer(() => ok("x"));
    const one = transport();
    await exchange(one, insurer.address, "fresh");
    await turns();
    insurer.connections[0]?.destroy();
    expect((await exchange(one, insurer.address, "fresh")).isNewConnection).toBe(true);
  });

  it("the transport uses an open connection even if the insurer has closed a newer connection", async () => {
    const insurer = await bareInsurer(() => ok("x"));
    const one = transport();
    await Promise.all([exchange(one, insurer.address), exchange(one, insurer.address)]);
    await turns();
    insurer.connections[1]?.destroy();
    await turns();
    expect((await exchange(one, insurer.address)).isNewConnection).toBe(false);
    expect(insurer.connections).toHaveLength(2);
  });

  it("the transport closes an idle connection to open a `new` connection if the maximum of connections is reached", async () => {
    const insurer = await bareInsurer(() => ok("x"));
    const one = transport({ connections: 1 });
    await exchange(one, insurer.address);
    await turns();
    const [first] = insurer.connections;
    const closed = first && once(first, "close");
    expect((await exchange(one, insurer.address, "new")).isNewConnection).toBe(true);
    await closed;
  });

  it("a transport at its maximum of connections closes a connection that is too old for reuse, not a usable connection", async () => {
    holdTime();
    const insurer = await bareInsurer(() => ok("x"));
    const one = transport({ connections: 2 });
    await exchange(one, insurer.address);
    await turns();
    await exchange(one, insurer.address, "fresh", "a");
    await turns();
    vi.advanceTimersByTime(1_000);
    expect((await exchange(one, insurer.address, "fresh", "b")).isNewConnection).toBe(true);
    await turns();
    expect((await exchange(one, insurer.address)).isNewConnection).toBe(false);
  });

  it("a request for a `fresh` connection waits while all connections are in use", async () => {
    const insurer = await bareInsurer((request) => ok(path(request)));
    const one = transport({ connections: 1 });
    const answers = await Promise.all(
      ["a", "b", "c"].map((name) => exchange(one, `${insurer.address}/${name}`, "fresh")),
    );
    expect(answers.map(({ text }) => text)).toEqual(["a", "b", "c"]);
    expect(insurer.requests).toEqual([["GET /a", "GET /b", "GET /c"]]);
  });

  it("the transport opens at most 128 connections to an insurer by default", async () => {
    const insurer = await bareInsurer(() => ok("x"));
    const one = transport();
    await Promise.all(Array.from({ length: 130 }, () => exchange(one, insurer.address)));
    expect(insurer.connections).toHaveLength(128);
  });

  it("a request for a `fresh` connection fails in the phase `connect` if no server listens", async () => {
    expect(await failureOf(exchange(transport(), NOBODY_LISTENS, "fresh"))).toMatchObject({
      phase: "connect",
      reason: "failed",
      detail: "ECONNREFUSED",
    });
  });
});

describe("connections that the reader of an answer closes", () => {
  it("the transport does not use a connection again after the reader of an answer has closed the connection", async () => {
    const insurer = await bareInsurer(() => ok("x"));
    const one = transport();
    const answer = await exchange(one, insurer.address);
    answer.closeConnection();
    answer.closeConnection();
    expect((await exchange(one, insurer.address)).isNewConnection).toBe(true);
    expect(insurer.requests).toEqual([["GET /"], ["GET /"]]);
  });

  it("a request fails, and the next request succeeds, if the reader of an earlier answer closes the request's connection", async () => {
    const insurer = await bareInsurer((request) => (request === "GET /silent" ? "" : ok("x")));
    const one = transport({ connections: 1 });
    const answer = await exchange(one, insurer.address);
    await turns();
    const failure = failureOf(exchange(one, `${insurer.address}/silent`));
    const [first] = insurer.connections;
    if (first !== undefined) await once(first, "data");
    answer.closeConnection();
    expect(await failure).toMatchObject({ phase: "wait", detail: "CONNECTION_CLOSED" });
    expect((await exchange(one, insurer.address)).text).toBe("x");
  });
});

describe.each<ConnectionChoice>(["any", "fresh"])(
  "surplus answers before a request with the connection choice %s",
  (choice) => {
    it("the transport closes the connection and reports a second answer that arrives in the packet of the first answer", async () => {
      const insurer = await bareInsurer((request) => ok(path(request)) + ok(path(request)));
      const unaskedBytes = vi.fn();
      const one = transport({ unaskedBytes });
      for (const name of ["a", "b"])
        expect((await exchange(one, `${insurer.address}/${name}`, choice)).text).toBe(name);
      await turns();
      expect(insurer.requests).toEqual([["GET /a"], ["GET /b"]]);
      expect(unaskedBytes).toHaveBeenCalledTimes(2);
    });

    it.each([
      ["an HTTP answer", ok("a")],
      ["bytes that are not HTTP", "220 ready\r\n"],
    ])(
      "the transport closes an idle connection and reports the bytes if the insurer sends bytes without a request: %s",
      async (_, bytes) => {
        const insurer = await bareInsurer((request) => ok(path(request)));
        const unaskedBytes = vi.fn();
        const one = transport({ unaskedBytes });
        await exchange(one, `${insurer.address}/a`, choice);
        await turns();
        insurer.connections[0]?.write(bytes);
        await turns();
        expect((await exchange(one, `${insurer.address}/b`, choice)).text).toBe("b");
        expect(insurer.requests).toEqual([["GET /a"], ["GET /b"]]);
        expect(unaskedBytes).toHaveBeenCalledTimes(1);
      },
    );

    it.each([0, 1, 2])(
      "the transport does not use a surplus answer of the insurer for a request that is sent %i turns of the event loop later",
      async (later) => {
        const insurer = await bareInsurer((request) => ok(path(request)));
        const unaskedBytes = vi.fn();
        const one = transport({ unaskedBytes });
        await exchange(one, `${insurer.address}/a`, choice);
        await turns(later);
        insurer.connections[0]?.write(ok("a"));
        expect((await exchange(one, `${insurer.address}/b`, choice)).text).toBe("b");
        expect(insurer.requests).toEqual([["GET /a"], ["GET /b"]]);
        expect(unaskedBytes).toHaveBeenCalledTimes(1);
      },
    );
  },
);

it.each([
  ["a connection that the insurer closes", ok("x")],
  ["an answer that is not HTTP", "220 ready\r\n"],
])("the transport does not report surplus bytes for %s", async (_, answer) => {
  const insurer = await bareInsurer(() => answer);
  const unaskedBytes = vi.fn();
  const one = transport({ unaskedBytes });
  await exchange(one, insurer.address).catch(() => undefined);
  await turns();
  insurer.connections[0]?.destroy();
  await turns();
  expect(unaskedBytes).not.toHaveBeenCalled();
});
