import { once } from "node:events";
import { describe, expect, it, vi } from "vitest";
import type {
  ConnectionChoice,
  ConnectionResponse,
  ConnectionTransport,
} from "../../src/transport/index.ts";
import { bareInsurer, ok } from "../harness/bare-server.ts";
import { failureOf } from "../harness/failure.ts";
import { holdTime } from "../harness/held-time.ts";
import { NOBODY_LISTENS } from "../harness/listen.ts";
import { NO_DEADLINE_MS, transport } from "../harness/send.ts";

/** Sends one request and reads its whole answer. */
async function exchange(
  one: ConnectionTransport,
  url: string,
  connection?: ConnectionChoice,
  owner?: string,
): Promise<ConnectionResponse & { readonly text: string }> {
  const request = { method: "GET", url, headers: {}, timeoutMs: NO_DEADLINE_MS };
  const wanted = { ...(connection && { connection }), ...(owner && { owner }) };
  const response = await one.send({ ...request, ...wanted });
  return { ...response, text: await response.body.text(1_000) };
}

/** Lets everything happen that has arrived by now. */
async function turns(count = 5): Promise<void> {
  for (let turn = 0; turn < count; turn += 1)
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
}

const path = (request: string): string => request.replace("GET /", "");

describe("a fresh connection", () => {
  it("is one whose last answer ended less than a second ago", async () => {
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

  it.each<[string, readonly (readonly [ConnectionChoice, string?])[], readonly boolean[]]>([
    [
      "is one of the same owner",
      [
        ["fresh", "a"],
        ["fresh", "a"],
      ],
      [true, false],
    ],
    [
      "is none of another owner",
      [
        ["fresh", "a"],
        ["fresh", "b"],
      ],
      [true, true],
    ],
    [
      "is none that was opened for another owner",
      [
        ["new", "a"],
        ["fresh", "b"],
      ],
      [true, true],
    ],
    [
      "is none that was opened for one request alone",
      [
        ["new", "a"],
        ["fresh", "a"],
        ["new", "a"],
        ["any", "a"],
      ],
      [true, true, true, true],
    ],
    ["is none of an owner for a request without one", [["fresh", "a"], ["fresh"]], [true, true]],
    [
      "is none that carried what may use any",
      [
        ["any", "a"],
        ["fresh", "a"],
      ],
      [true, true],
    ],
    [
      "is found behind another owner's",
      [["fresh", "a"], ["fresh", "b"], ["fresh", "a"], ["any"], ["fresh", "b"], ["any"]],
      [true, true, false, true, false, false],
    ],
    [
      "does not serve a request that may use any, not even one of its owner",
      [
        ["fresh", "a"],
        ["any", "a"],
        ["any", "a"],
      ],
      [true, true, false],
    ],
  ])("%s", async (_, requests, expected) => {
    holdTime();
    const insurer = await bareInsurer(() => ok("x"));
    const one = transport();
    const opened: boolean[] = [];
    for (const [choice, owner] of requests) {
      opened.push((await exchange(one, insurer.address, choice, owner)).isNewConnection);
      await turns();
    }
    expect(opened).toEqual(expected);
  });

  it.each([1, 2])(
    "a fresh connection is not used if the insurer closes it after %i s",
    async (seconds) => {
      const insurer = await bareInsurer(() => ok("x", `keep-alive: timeout=${seconds}`));
      const one = transport();
      await exchange(one, insurer.address, "fresh");
      await turns();
      expect((await exchange(one, insurer.address, "fresh")).isNewConnection).toBe(true);
    },
  );

  it("is younger than half the time after which the insurer was seen to close one", async () => {
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
    // It was ten minutes ago.
    expect(await isNewAfter(600_000)).toBe(true);
    expect(await isNewAfter(999)).toBe(false);
  });

  it("is opened when the insurer closes the last one before the request is written", async () => {
    const insurer = await bareInsurer(() => ok("x"));
    const one = transport();
    await exchange(one, insurer.address, "fresh");
    await turns();
    insurer.connections[0]?.destroy();
    expect((await exchange(one, insurer.address, "fresh")).isNewConnection).toBe(true);
  });

  it("a fresh connection that the insurer has closed is not preferred to an open one", async () => {
    const insurer = await bareInsurer(() => ok("x"));
    const one = transport();
    await Promise.all([exchange(one, insurer.address), exchange(one, insurer.address)]);
    await turns();
    insurer.connections[1]?.destroy();
    await turns();
    expect((await exchange(one, insurer.address)).isNewConnection).toBe(false);
    expect(insurer.connections).toHaveLength(2);
  });

  it("is opened for every request that wants a new one", async () => {
    const insurer = await bareInsurer(() => ok("x"));
    const one = transport();
    for (const number of [1, 2]) {
      expect((await exchange(one, insurer.address, "new")).isNewConnection).toBe(true);
      await turns();
      expect(insurer.connections).toHaveLength(number);
    }
  });

  it("takes the room of an older one where there may be no more", async () => {
    const insurer = await bareInsurer(() => ok("x"));
    const one = transport({ connections: 1 });
    await exchange(one, insurer.address);
    await turns();
    const [first] = insurer.connections;
    const closed = first && once(first, "close");
    expect((await exchange(one, insurer.address, "new")).isNewConnection).toBe(true);
    await closed;
  });

  it("a fresh connection replaces a connection that is too old for any request before others", async () => {
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

  it("is waited for while all are in use", async () => {
    const insurer = await bareInsurer((request) => ok(path(request)));
    const one = transport({ connections: 1 });
    const answers = await Promise.all(
      ["a", "b", "c"].map((name) => exchange(one, `${insurer.address}/${name}`, "fresh")),
    );
    expect(answers.map(({ text }) => text)).toEqual(["a", "b", "c"]);
    expect(insurer.requests).toEqual([["GET /a", "GET /b", "GET /c"]]);
  });

  it("is one of 128 where nothing else is set", async () => {
    const insurer = await bareInsurer(() => ok("x"));
    const one = transport();
    await Promise.all(Array.from({ length: 130 }, () => exchange(one, insurer.address)));
    expect(insurer.connections).toHaveLength(128);
  });

  it("a fresh connection that cannot be opened has sent nothing", async () => {
    expect(await failureOf(exchange(transport(), NOBODY_LISTENS, "fresh"))).toMatchObject({
      phase: "connect",
      reason: "failed",
      detail: "ECONNREFUSED",
    });
  });
});

describe("a connection for any request", () => {
  it("serves one owner only, or requests without an owner", async () => {
    const insurer = await bareInsurer((request) => ok(path(request)));
    const one = transport();
    for (const owner of ["north", "south", undefined, "north", "south", undefined]) {
      await exchange(one, `${insurer.address}/${owner}`, "any", owner);
      await turns();
    }
    const expected = ["north", "south", "undefined"].map((owner) => Array(2).fill(`GET /${owner}`));
    expect(insurer.requests).toEqual(expected);
  });

  it("takes the place of another owner's idle connection at the maximum", async () => {
    const insurer = await bareInsurer(() => ok("x"));
    const one = transport({ connections: 1 });
    const opened: boolean[] = [];
    for (const owner of ["north", "south", "south", "north"]) {
      opened.push((await exchange(one, insurer.address, "any", owner)).isNewConnection);
      await turns();
    }
    expect(opened).toEqual([true, true, false, true]);
  });
});

describe("a connection that is closed by the reader of an answer", () => {
  it("is used for nothing else", async () => {
    const insurer = await bareInsurer(() => ok("x"));
    const one = transport();
    const answer = await exchange(one, insurer.address);
    answer.closeConnection();
    answer.closeConnection();
    expect((await exchange(one, insurer.address)).isNewConnection).toBe(true);
    expect(insurer.requests).toEqual([["GET /"], ["GET /"]]);
  });

  it("fails a request that has taken it since, and leaves room for another", async () => {
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
  "an answer too many, before %s, closes its connection and is reported",
  (choice) => {
    it("an answer in the same packet as the first closes its connection, and is reported", async () => {
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
      ["an answer", ok("a")],
      ["no HTTP", "220 ready\r\n"],
    ])(
      "a surplus answer on an idle connection closes it, and is reported: %s",
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
      "a surplus answer is not used for a request that is sent %i turns later",
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
  ["an answer that is no HTTP", "220 ready\r\n"],
])("%s is not reported as bytes that no request asked for", async (_, answer) => {
  const insurer = await bareInsurer(() => answer);
  const unaskedBytes = vi.fn();
  const one = transport({ unaskedBytes });
  await exchange(one, insurer.address).catch(() => undefined);
  await turns();
  insurer.connections[0]?.destroy();
  await turns();
  expect(unaskedBytes).not.toHaveBeenCalled();
});

describe("an interim answer that nobody asked for", () => {
  const interim = "HTTP/1.1 100 Continue\r\n\r\n";

  it.each([
    ["100", interim],
    ["100 with headers, twice", `HTTP/1.1 100 Continue\r\nx: y\r\n\r\n${interim}`],
    ["100 of HTTP/1.0, then 103", "HTTP/1.0 100 \r\n\r\nHTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n"],
    ["102", "HTTP/1.1 102 Processing\r\n\r\n"],
  ])("%s is read over, on every request of a connection", async (_, bytes) => {
    const insurer = await bareInsurer((request) => bytes + ok(path(request)));
    const one = transport();
    for (const name of ["a", "b"]) {
      expect((await exchange(one, `${insurer.address}/${name}`)).text).toBe(name);
      await turns();
    }
    expect(insurer.connections).toHaveLength(1);
  });

  it("may be long before each answer: 16 kB are read over, and no more", async () => {
    const early = (bytes: number): string => {
      const empty = "HTTP/1.1 100 Continue\r\nx: \r\n\r\n";
      return empty.replace("x: ", `x: ${"y".repeat(bytes - empty.length)}`);
    };
    let before = early(9_000);
    const insurer = await bareInsurer((request) => before + ok(path(request)));
    const one = transport();
    for (const name of ["a", "b", "c"]) {
      expect((await exchange(one, `${insurer.address}/${name}`)).text).toBe(name);
      await turns();
    }
    before = early(8_192).repeat(2);
    expect((await exchange(one, `${insurer.address}/d`)).text).toBe("d");
    expect(insurer.connections).toHaveLength(1);
  });

  it("is read over when it comes byte by byte", async () => {
    const insurer = await bareInsurer(() => "");
    const answer = exchange(transport(), insurer.address);
    await vi.waitUntil(() => insurer.requests[0]?.length === 1, { interval: 1 });
    for (const byte of interim + ok("x")) {
      insurer.connections[0]?.write(byte);
      await turns(2);
    }
    expect((await answer).text).toBe("x");
  });

  it("is no answer when the connection ends after it", async () => {
    const insurer = await bareInsurer(() => interim);
    const failure = failureOf(exchange(transport(), insurer.address));
    await vi.waitUntil(() => insurer.requests[0]?.length === 1, { interval: 1 });
    insurer.connections[0]?.end();
    expect(await failure).toMatchObject({ phase: "wait", reason: "failed" });
  });

  it("on an idle connection closes it", async () => {
    const insurer = await bareInsurer(() => ok("x"));
    const one = transport();
    await exchange(one, insurer.address);
    insurer.connections[0]?.write(interim);
    await turns();
    expect((await exchange(one, insurer.address)).isNewConnection).toBe(true);
  });

  it("has an end: an insurer that sends nothing else has no answer", async () => {
    const insurer = await bareInsurer(() => interim.repeat(1_000));
    const failure = await failureOf(exchange(transport(), insurer.address));
    expect(failure).toMatchObject({ phase: "wait", reason: "failed" });
  });
});
