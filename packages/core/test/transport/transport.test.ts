import { createRequire } from "node:module";
import { describe, expect, it, vi } from "vitest";
import {
  type ConnectionTransport,
  type ExchangeEnd,
  nothingSent,
  type Phase,
  TransportError,
} from "../../src/transport/index.ts";
import { bareServer } from "../harness/bare-server.ts";
import { endlessBody } from "../harness/endless-body.ts";
import { failureOf } from "../harness/failure.ts";
import { holdTime } from "../harness/held-time.ts";
import { NOBODY_LISTENS } from "../harness/listen.ts";
import { brokenMidway, json, reset, silence } from "../harness/replies.ts";
import { scriptedServer } from "../harness/scripted-server.ts";
import { NO_DEADLINE_MS, send, transport } from "../harness/send.ts";

const MEGABYTE = 1024 * 1024;

/** Timers of undici's connections, which undici exports for tests. */
const undiciTimers: { readonly tick: (milliseconds: number) => void } = createRequire(
  import.meta.url,
)("undici/lib/util/timers.js");

describe("requests that the transport refuses", () => {
  const request = { method: "GET", url: NOBODY_LISTENS, headers: {}, timeoutMs: NO_DEADLINE_MS };
  it.each<[string, () => Promise<ConnectionTransport>, string]>([
    [
      "the origin is not allowed",
      async () => transport({ origins: ["https://insurer.example"] }),
      "ORIGIN_NOT_ALLOWED",
    ],
    [
      "the transport is closed",
      async () => {
        const closed = transport({ origins: [new URL(NOBODY_LISTENS).origin] });
        await closed.close();
        return closed;
      },
      "CLOSED",
    ],
  ])(
    "the transport refuses a request at once, and counts no request in progress, if %s",
    async (_, refusing, detail) => {
      const ends: ExchangeEnd[] = [];
      const made = await refusing();
      const failure = await failureOf(made.send({ ...request, ended: (end) => ends.push(end) }));
      expect(failure).toMatchObject({ phase: "connect", reason: "failed", detail });
      expect(ends).toEqual([{ failure, heldUp: false }]);
      expect(made.underWay()).toBe(0);
    },
  );
});

describe("the phase of a failed request", () => {
  it("a request fails in the phase `resolve` if the host name has no address", async () => {
    // A label of a name has at most 63 letters, so the resolver needs no name server.
    const failure = await failureOf(send(`http://${"x".repeat(64)}.invalid/`));
    expect(failure).toMatchObject({ phase: "resolve", reason: "failed" });
  });

  it("a request fails in the phase `connect` if no server listens", async () => {
    expect(await failureOf(send(NOBODY_LISTENS))).toMatchObject({
      phase: "connect",
      reason: "failed",
      detail: "ECONNREFUSED",
    });
  });

  it("a request fails in the phase `connect` if the connection takes longer than `connectTimeoutMs`", async () => {
    const address = await bareServer(() => undefined);
    const impatient = transport({ connectTimeoutMs: 20 });
    const request = {
      method: "GET",
      // The TLS handshake is part of opening the connection, and this server never answers it.
      url: address.replace("http:", "https:"),
      headers: {},
      timeoutMs: NO_DEADLINE_MS,
    };
    expect(await failureOf(impatient.send(request))).toMatchObject({
      phase: "connect",
      reason: "failed",
      detail: "UND_ERR_CONNECT_TIMEOUT",
    });
  });

  it("a request fails in the phase `connect` if the connection is not open after three seconds, the default", async () => {
    const connected = Promise.withResolvers<void>();
    const address = await bareServer(() => connected.resolve());
    let failure: unknown = null;
    void failureOf(send(address.replace("http:", "https:"))).then((found) => {
      failure = found;
    });
    await connected.promise;
    const pass = async (milliseconds: number): Promise<void> => {
      undiciTimers.tick(milliseconds);
      for (let turn = 0; turn < 20; turn += 1)
        await new Promise((resolve) => void setImmediate(resolve));
    };
    // The first tick starts the connection's timer.
    await pass(1_000);
    await pass(1_800);
    expect(failure).toBeNull();
    await pass(1_200);
    expect(failure).toMatchObject({ phase: "connect", detail: "UND_ERR_CONNECT_TIMEOUT" });
  });

  it("a request fails in the phase `tls` if the server does not use TLS", async () => {
    const server = await scriptedServer(json({}));
    const failure = await failureOf(send(server.address.replace("http:", "https:")));
    expect(failure).toMatchObject({ phase: "tls", reason: "failed" });
    expect(server.arrivals).toEqual([]);
  });

  it("a request fails in the phase `wait` if the connection is reset before the answer", async () => {
    const server = await scriptedServer(reset);
    const failure = await failureOf(send(server.address, { method: "POST", body: "{}" }));
    expect(failure).toMatchObject({ phase: "wait", reason: "failed" });
    expect(server.arrivals).toHaveLength(1);
  });

  it.each([
    ["the connection is closed without an answer", ""],
    ["the answer is not HTTP", "SMTP ready\r\n"],
    ["the connection ends after an interim answer", "HTTP/1.1 100 Continue\r\n\r\n"],
  ])("a request fails in the phase `wait` if %s", async (_, bytes) => {
    const address = await bareServer((socket) => socket.once("data", () => socket.end(bytes)));
    expect(await failureOf(send(address))).toMatchObject({ phase: "wait", reason: "failed" });
  });

  it("a request fails in the phase `body` if the answer breaks off in the middle", async () => {
    const server = await scriptedServer(brokenMidway("text/plain"));
    const { status, body } = await send(server.address);
    expect(status).toBe(200);
    expect(await failureOf(body.text(MEGABYTE))).toMatchObject({ phase: "body", reason: "failed" });
  });

  it.each<[Phase, boolean]>([
    ["resolve", true],
    ["connect", true],
    ["tls", true],
    ["write", false],
    ["wait", false],
    ["body", false],
  ])("a failure in the phase %s proves that nothing was sent: %s", (phase, nothing) => {
    expect(nothingSent(phase)).toBe(nothing);
  });

  it("the error of a failed request contains neither the address nor a header nor the body of the request", async () => {
    const server = await scriptedServer(reset);
    const failure = await failureOf(
      send(`${server.address}/canary?canary=1`, {
        method: "POST",
        headers: { authorization: "Bearer canary" },
        body: "canary",
      }),
    );
    expect(TransportError.isInstance(failure)).toBe(true);
    expect(`${String(failure)} ${JSON.stringify(failure)}`).not.toContain("canary");
  });
});

describe("stopped requests", () => {
  it("a request that times out after its last byte was written is reported as sent", async () => {
    holdTime();
    const server = await scriptedServer(silence);
    const failure = failureOf(send(server.address, { timeoutMs: 500 }));
    await server.reached;
    vi.advanceTimersByTime(500);
    expect(await failure).toMatchObject({ phase: "wait", reason: "timeout" });
  });

  it("a request that times out before the connection is open is reported as not sent", async () => {
    holdTime();
    const server = await scriptedServer(json({}));
    const failure = failureOf(send(server.address, { timeoutMs: 500 }));
    vi.advanceTimersByTime(500);
    expect(await failure).toMatchObject({ phase: "connect", reason: "timeout" });
    expect(server.arrivals).toEqual([]);
  });

  it("a request that is cancelled after its last byte was written is reported as sent, and its connection is closed", async () => {
    const server = await scriptedServer((response) => {
      response.once("close", () => gone.resolve());
    });
    const gone = Promise.withResolvers<void>();
    const controller = new AbortController();
    const failure = failureOf(send(server.address, { signal: controller.signal }));
    await server.reached;
    controller.abort();
    expect(await failure).toMatchObject({ phase: "wait", reason: "cancelled" });
    await gone.promise;
  });

  it("a request that is cancelled before the connection is open is never sent", async () => {
    const server = await scriptedServer(json({}));
    const controller = new AbortController();
    const one = transport();
    const request = { method: "GET", url: server.address, headers: {}, timeoutMs: NO_DEADLINE_MS };
    const failure = failureOf(one.send({ ...request, signal: controller.signal }));
    controller.abort();
    expect(await failure).toMatchObject({ phase: "connect", reason: "cancelled" });
    await (await one.send({ ...request, url: `${server.address}/next` })).body.text(MEGABYTE);
    await one.close();
    expect(server.arrivals.map(({ target }) => target)).toEqual(["/next"]);
  });

  it("the reader of a body receives an error if the request is cancelled before the whole body has arrived", async () => {
    const server = await scriptedServer(endlessBody(30 * MEGABYTE, "text/plain").reply);
    const controller = new AbortController();
    const { body } = await send(server.address, { signal: controller.signal });
    const reading = failureOf(body.text(64 * MEGABYTE));
    controller.abort();
    expect(await reading).toMatchObject({ phase: "body", reason: "cancelled" });
  });
});
