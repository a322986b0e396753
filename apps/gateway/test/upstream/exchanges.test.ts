import { type Endpoint, none } from "@insurance-gateway/core/contract";
import { loose } from "@insurance-gateway/core/schema";
import {
  type ConnectionResponse,
  type ConnectionTransport,
  TransportError,
  type TransportRequest,
} from "@insurance-gateway/core/transport";
import { describe, expect, it } from "vitest";
import type { ReservedRoom } from "../../src/resilience/answer-budget.ts";
import type { AttemptWay, InsurerConnection, UpstreamCall } from "../../src/upstream/attempt.ts";
import {
  type Exchanges,
  exchangesOf,
  isExchange,
  mayHaveActed,
} from "../../src/upstream/exchanges.ts";
import { exchange } from "../../src/upstream/insurer-exchange.ts";

const MEGABYTE = 1_048_576;
const at = { provider: "provider-x", path: "/things" };
const anything = loose<object>({});
const reconcile = { endpoint: "searchThings", parameters: {}, same: [], createdAt: "/createdAt" };
const lookup: Endpoint = { ...at, kind: "lookup", method: "GET", response: { 200: anything } };
const submission: Endpoint = {
  ...at,
  kind: "submission",
  method: "POST",
  response: { 201: anything },
  reconcile,
};

/** What an insurer in memory answers: pieces of a body, with headers. */
interface Answer {
  readonly headers?: Readonly<Record<string, string>>;
  readonly pieces?: readonly Uint8Array[];
  /** Whether all of them have come with the head. */
  readonly isWhole?: boolean;
}

/** An insurer in memory that remembers what reached it, and how much of each body was asked for at most. */
function insurerOf({ headers = {}, isWhole = false, pieces = [] }: Answer = {}) {
  const requests: TransportRequest[] = [];
  const maxima: number[] = [];
  let failure: TransportError | null = null;
  const response: ConnectionResponse = {
    status: 200,
    headers,
    isNewConnection: true,
    closeConnection: () => undefined,
    body: {
      text: () => Promise.reject(new TypeError("Nobody asks for a text")),
      async *stream(maximumBytes) {
        maxima.push(maximumBytes);
        yield* pieces;
      },
      takeWhole: () => (isWhole ? pieces : null),
      discard: () => undefined,
    },
  };
  const transport: ConnectionTransport = {
    async send(request) {
      requests.push(request);
      if (failure !== null) throw failure;
      return response;
    },
    underWay: () => 0,
    close: async () => undefined,
  };
  const failWith = (error: TransportError): void => {
    failure = error;
  };
  return { failWith, maxima, requests, transport };
}

/** Begins the exchanges of a call, with what the test changes. */
function begin(
  { transport }: ReturnType<typeof insurerOf>,
  endpoint: Endpoint,
  changed: {
    readonly withinMs?: number;
    readonly sandbox?: boolean;
    readonly call?: Partial<UpstreamCall>;
  } = {},
): Exchanges {
  const { call, sandbox = false, withinMs = 10_000 } = changed;
  const answers = { jsonBytes: 1_000, documentBytes: 1_000, staleHours: 0 };
  // Only these are read.
  const insurer = { baseUrl: "http://insurer/v1", answers, sandbox } as InsurerConnection;
  const way = {
    withinMs,
    credentials: {
      headers: { authorization: "Bearer token", "x-own": "credentials" },
      login: null,
    },
    waitsForRoom: () => undefined,
  } as unknown as AttemptWay;
  const upstreamCall = {
    requestId: "request",
    traceHeaders: { traceparent: "trace" },
    scenario: "slow",
    callerGone: null,
    ...call,
  } as UpstreamCall;
  const room = { reserve: async () => null, take: () => ({ reduce: () => {}, release: () => {} }) };
  return exchangesOf(insurer, transport, endpoint, upstreamCall, way, room);
}

describe("the request on which the insurer acts", () => {
  const other = { ...submission, response: { 201: anything, 204: none } };
  const { reconcile: _, ...unreconciled } = submission;
  const post = { method: "POST", path: "/" };
  it.each([
    ["of a submission", submission, post, "fresh"],
    ["of one that may be answered with nothing", other, post, "new"],
    ["of one without a query", unreconciled, post, "new"],
    ["is no GET", submission, { method: "GET", path: "/" }, "any"],
    ["is none that only prepares", submission, { ...post, acts: false }, "any"],
    ["may be a GET that says so", submission, { method: "GET", path: "/", acts: true }, "fresh"],
    ["is none of a lookup's", lookup, post, "any"],
  ])("%s", async (_, endpoint, request, connection) => {
    const insurer = insurerOf();
    const exchanges = begin(insurer, endpoint);
    expect(exchanges.acting).toBeNull();
    const sending = exchanges.send(request);
    const acts = connection !== "any";
    expect(exchanges.acting).toBe(acts ? "sent" : null);
    expect(mayHaveActed(exchanges.acting)).toBe(acts);
    await sending;
    expect(insurer.requests.map((one) => one.connection)).toEqual([connection]);
    expect(exchanges.acting).toBe(acts ? exchanges.made[0] : null);
    expect([isExchange(exchanges.acting), mayHaveActed(exchanges.acting)]).toEqual([acts, acts]);
  });

  it("is sent once, and others may follow", async () => {
    const insurer = insurerOf();
    const exchanges = begin(insurer, submission);
    await exchanges.send({ ...post, acts: false });
    await exchanges.send(post);
    await expect(exchanges.send(post)).rejects.toThrow("may act on one request of a call only");
    await exchanges.send({ ...post, acts: false });
    expect(insurer.requests).toHaveLength(3);
    expect(exchanges.acting).toBe(exchanges.made[1]);
  });

  it.each([
    ["resolve", false],
    ["connect", false],
    ["tls", false],
    ["write", true],
    ["wait", true],
    ["body", true],
  ] as const)("that failed in the phase %s: may it have left? %s", async (phase, mayHaveLeft) => {
    const insurer = insurerOf();
    const exchanges = begin(insurer, submission);
    const error = new TransportError(phase, "failed");
    insurer.failWith(error);
    await expect(exchanges.send(post)).rejects.toBe(error);
    expect(exchanges.acting).toBe(mayHaveLeft ? "sent" : error);
    expect([mayHaveActed(exchanges.acting), isExchange(exchanges.acting)]).toEqual([
      mayHaveLeft,
      false,
    ]);
    expect(exchanges.made).toEqual([]);
  });

  it("has not failed with one that only prepares", async () => {
    const insurer = insurerOf();
    insurer.failWith(new TransportError("connect", "failed"));
    const exchanges = begin(insurer, submission);
    await expect(exchanges.send({ ...post, acts: false })).rejects.toThrow();
    expect(exchanges.acting).toBeNull();
  });
});

describe("a request", () => {
  const get = { method: "GET", path: "/a?b=1" };
  it("has the adapter's headers, then the credentials', then the gateway's own", async () => {
    const insurer = insurerOf();
    const own = { accept: "a/b", "x-own": "adapter", via: "adapter", "x-request-id": "adapter" };
    await begin(insurer, lookup).send({ ...get, headers: own });
    expect(insurer.requests).toMatchObject([{ method: "GET", url: "http://insurer/v1/a?b=1" }]);
    expect(insurer.requests[0]?.headers).toEqual({
      accept: "a/b",
      "x-own": "credentials",
      authorization: "Bearer token",
      traceparent: "trace",
      via: "1.1 insurance-gateway",
      "x-request-id": "request",
    });
    expect(insurer.requests[0]).not.toHaveProperty("body");
    expect(insurer.requests[0]).not.toHaveProperty("signal");
  });

  it("has the caller's scenario at a sandbox, where one is asked for, and its caller's signal", async () => {
    const insurer = insurerOf();
    const { signal } = new AbortController();
    await begin(insurer, lookup, { sandbox: true, call: { callerGone: signal } }).send(get);
    await begin(insurer, lookup, { sandbox: true, call: { scenario: undefined } }).send(get);
    expect(insurer.requests.map(({ headers }) => headers["x-sandbox-scenario"])).toEqual([
      "slow",
      undefined,
    ]);
    expect(insurer.requests[0]?.signal).toBe(signal);
  });

  it("has the time that is left, and a millisecond where none is", async () => {
    const insurer = insurerOf();
    const exchanges = begin(insurer, lookup, { withinMs: 60_000 });
    await exchanges.send(get);
    const timeoutMs = insurer.requests[0]?.timeoutMs ?? 0;
    expect(timeoutMs).toBeLessThanOrEqual(60_000);
    expect(timeoutMs).toBeGreaterThanOrEqual(exchanges.leftMs());
    await begin(insurer, lookup, { withinMs: -5 }).send(get);
    expect(insurer.requests[1]?.timeoutMs).toBe(1);
  });

  it("cannot name another host", async () => {
    const insurer = insurerOf();
    for (const path of ["", "a", "@elsewhere/", ".elsewhere/"])
      await expect(begin(insurer, lookup).send({ method: "GET", path })).rejects.toThrow(TypeError);
    expect(insurer.requests).toEqual([]);
  });
});

/** Reads an answer as a text; notes what room was asked for, and what became of it. */
async function read(
  answer: Answer,
  limits: { readonly jsonBytes?: number; readonly documentBytes?: number } = {},
) {
  const insurer = insurerOf(answer);
  const room: string[] = [];
  const made = await exchange(
    insurer.transport,
    { method: "GET", path: "/" },
    {
      url: "http://insurer/",
      headers: {},
      connection: "any",
      timeoutMs: 1_000,
      signal: null,
      limits: { jsonBytes: 4 * MEGABYTE, documentBytes: 4 * MEGABYTE, staleHours: 0, ...limits },
      async reserve(bytes): Promise<ReservedRoom> {
        room.push(`reserve ${bytes}`);
        return {
          reduce: (used) => void room.push(`reduce ${used}`),
          release: () => void room.push("release"),
        };
      },
    },
  );
  return { made, maxima: insurer.maxima, room };
}

describe("the bytes of a text are passed on in its place", () => {
  const utf8 = { "content-type": "application/json; charset=UTF-8" };
  const letters = (count: number): readonly Uint8Array[] => [Buffer.alloc(count, "x")];
  it.each([
    ["with 8,191 bytes", {}, letters(8_191), false],
    ["with 8,192", {}, letters(8_192), true],
    ["with 1,048,576", {}, letters(MEGABYTE), true],
    ["with 1,048,577", {}, letters(MEGABYTE + 1), false],
    ["in several pieces", {}, [...letters(4_000), ...letters(5_000)], true],
    ["in UTF-8 by its header", utf8, letters(9_000), true],
    ["in another charset", { "content-type": "a/b; charset=windows-1253" }, letters(9_000), false],
    ["with a byte order mark", {}, [Buffer.from(`\ufeff${"x".repeat(9_000)}`)], false],
  ])("%s: %#", async (_, headers, pieces, isPassedOn) => {
    const { made } = await read({ headers, pieces });
    const text = await made.response.text();
    expect(made.bytesOf(text)).toEqual(isPassedOn ? Buffer.concat(pieces) : null);
    expect(made.bytesOf(`${text} `)).toBeNull();
  });
});

describe("room for an answer", () => {
  const bytes = (length: number, of = 1): readonly Uint8Array[] =>
    Array.from({ length: of }, () => Buffer.alloc(length / of, "x"));
  const long = (length: number): Record<string, string> => ({ "content-length": String(length) });
  it.each([
    ["not for a megabyte", {}, bytes(MEGABYTE), []],
    ["not for a megabyte in pieces", {}, bytes(MEGABYTE, 4), []],
    ["not for a declared megabyte", long(MEGABYTE), bytes(MEGABYTE), []],
    [
      "for what is declared, before anything is read",
      long(MEGABYTE + 1),
      bytes(10),
      [`reserve ${MEGABYTE + 1}`, "reduce 10"],
    ],
    [
      "once for what is declared and comes in pieces",
      long(MEGABYTE + 2),
      bytes(MEGABYTE + 2, 2),
      [`reserve ${MEGABYTE + 2}`, `reduce ${MEGABYTE + 2}`],
    ],
    [
      "for the longest where nothing is declared",
      {},
      bytes(MEGABYTE + 4, 4),
      [`reserve ${2 * MEGABYTE}`, `reduce ${MEGABYTE + 4}`],
    ],
  ])("is reserved %s", async (_, headers, pieces, expected) => {
    const { made, maxima, room } = await read({ headers, pieces }, { jsonBytes: 2 * MEGABYTE });
    expect(await made.response.text()).toBe(Buffer.concat(pieces).toString());
    expect(room).toEqual(expected);
    expect(maxima).toEqual([2 * MEGABYTE]);
    made.release();
    expect(room).toEqual(expected.length === 0 ? [] : [...expected, "release"]);
  });

  it("is reserved also for a large answer that has come with its head, and none for an empty one", async () => {
    const pieces = bytes(MEGABYTE + 1);
    const large = await read({ headers: long(MEGABYTE + 1), pieces, isWhole: true });
    expect((await large.made.response.text()).length).toBe(MEGABYTE + 1);
    expect(large.room).toEqual([`reserve ${MEGABYTE + 1}`, `reduce ${MEGABYTE + 1}`]);
    for (const isWhole of [true, false]) {
      const empty = await read({ headers: long(0), isWhole });
      expect([await empty.made.response.text(), empty.room]).toEqual(["", []]);
    }
  });

  it("is given back at once where nobody waits for the answer any more", async () => {
    const { made, room } = await read({ headers: long(MEGABYTE + 1), pieces: bytes(10) });
    made.release();
    await made.response.text();
    expect(room).toEqual([`reserve ${MEGABYTE + 1}`, "release", "reduce 10"]);
  });

  it("is not asked for where more is declared than may come", async () => {
    const { made, room } = await read({ headers: long(11), pieces: bytes(11) }, { jsonBytes: 10 });
    await expect(made.response.text()).rejects.toMatchObject({
      phase: "body",
      reason: "too_large",
    });
    const { made: fitting } = await read(
      { headers: long(10), pieces: bytes(10) },
      { jsonBytes: 10 },
    );
    expect(await fitting.response.text()).toBe("xxxxxxxxxx");
    expect(room).toEqual([]);
  });

  it("is that of a document: its own bytes, or in base64 with the message around it", async () => {
    const limits = { jsonBytes: 10, documentBytes: 101 };
    const { made, maxima } = await read({ pieces: bytes(10) }, limits);
    await made.response.bytes();
    await made.response.textWithDocuments();
    expect(made.isStreamed()).toBe(false);
    for await (const _ of made.response.stream());
    expect(maxima).toEqual([101, 152, 101]);
    expect(made.isStreamed()).toBe(true);
  });

  it.each([
    [MEGABYTE, MEGABYTE],
    [MEGABYTE + 1, 0],
  ])("of %i bytes has %i bytes of memory left when it is given back", async (length, left) => {
    const whole = Buffer.allocUnsafeSlow(length).fill("x");
    const { made } = await read({ pieces: [whole], isWhole: true });
    await made.response.text();
    expect(whole.byteLength).toBe(length);
    made.release();
    expect(whole.byteLength).toBe(left);
  });
});

it("an answer that names its charset within its first 1,024 bytes is read with it", async () => {
  const seen: string[] = [];
  const { made } = await read({ pieces: [Buffer.alloc(2_000, "x")] });
  await made.response.text((beginning) => {
    seen.push(beginning);
    return "utf-8";
  });
  expect(seen).toEqual(["x".repeat(1_024)]);
});

it("an answer that names no charset is UTF-8, and unreadable where it is not", async () => {
  const greek = await read({ pieces: [Buffer.from("Ελλάδα")] });
  expect(await greek.made.response.text(() => undefined)).toBe("Ελλάδα");
  const broken = await read({ pieces: [Buffer.of(0x78, 0xff)] });
  await expect(broken.made.response.text()).rejects.toMatchObject({
    phase: "body",
    reason: "unreadable",
  });
});

it.each([
  [{ "content-length": "3" }, true],
  [{ "transfer-encoding": "chunked" }, true],
  [{ connection: "close" }, false],
])("an answer with %j says itself where it ends: %s", async (headers, hasFraming) => {
  const { made } = await read({ headers });
  expect(made.hasFraming).toBe(hasFraming);
});
