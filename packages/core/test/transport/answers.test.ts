import { describe, expect, it } from "vitest";
import { endlessBody } from "../harness/endless-body.ts";
import { failureOf } from "../harness/failure.ts";
import { json, raw } from "../harness/replies.ts";
import { scriptedServer } from "../harness/scripted-server.ts";
import { NO_DEADLINE_MS, send, transport } from "../harness/send.ts";

const MEGABYTE = 1024 * 1024;

describe("answers that the transport receives", () => {
  it("an answer of the transport has the status, the header names in lower case and the text", async () => {
    const server = await scriptedServer((response) => {
      response.writeHead(
        418,
        [
          ["X-Mixed-Case", "a"],
          ["set-cookie", "one"],
          ["set-cookie", "two"],
        ].flat(),
      );
      response.end("Ελένη");
    });
    const { status, headers, body } = await send(server.address);
    expect(status).toBe(418);
    expect(headers).toMatchObject({ "x-mixed-case": "a", "set-cookie": "one, two" });
    expect(await body.text(MEGABYTE)).toBe("Ελένη");
  });

  it("the transport does not follow a redirect", async () => {
    const server = await scriptedServer(json({}, 307, { location: "/elsewhere" }));
    const { status, body } = await send(server.address);
    expect(status).toBe(307);
    await body.text(MEGABYTE);
    expect(server.arrivals).toHaveLength(1);
  });

  it("a complete answer can be read in one piece only once, and only up to the reader's maximum", async () => {
    const { promise: ended, resolve } = Promise.withResolvers<unknown>();
    const server = await scriptedServer(json("ten bytes"));
    const { body } = await send(server.address, { ended: resolve });
    await ended;
    expect(body.takeWhole?.(10)).toBeNull();
    expect(Buffer.concat(body.takeWhole?.(11) ?? []).toString()).toBe('"ten bytes"');
    expect(body.takeWhole?.(11)).toBeNull();
    await expect(body.text(11)).rejects.toThrow();
  });

  it("the transport refuses an answer that is one byte larger than the reader's maximum", async () => {
    const server = await scriptedServer(raw("x".repeat(1_000), "text/plain"));
    expect(await (await send(server.address)).body.text(1_000)).toHaveLength(1_000);
    const failure = await failureOf((await send(server.address)).body.text(999));
    expect(failure).toMatchObject({ phase: "body", reason: "too_large" });
  });

  it("the transport refuses a text that is not UTF-8, even if only the last letter is incomplete", async () => {
    for (const bytes of [
      [0x61, 0xff],
      [0x61, 0xce],
    ]) {
      const server = await scriptedServer(raw(Buffer.from(bytes), "text/plain"));
      const failure = await failureOf((await send(server.address)).body.text(MEGABYTE));
      expect(failure).toMatchObject({ phase: "body", reason: "unreadable" });
    }
  });

  it("the transport reads a text correctly if the bytes of one letter arrive in two pieces", async () => {
    const [first, second] = Buffer.from("Ω");
    const server = await scriptedServer((response) => {
      response.writeHead(200, { "content-length": 2 });
      response.write(Buffer.from([first ?? 0]), () => response.end(Buffer.from([second ?? 0])));
    });
    expect(await (await send(server.address)).body.text(MEGABYTE)).toBe("Ω");
  });

  it("the transport closes the connection of an answer that the reader discards", async () => {
    const content = endlessBody(30 * MEGABYTE, "text/plain");
    const server = await scriptedServer(content.reply);
    const { body } = await send(server.address);
    body.discard();
    await content.closed;
    expect(content.taken()).toBeLessThan(30 * MEGABYTE);
  });

  it("an answer of the transport can be read only once", async () => {
    const server = await scriptedServer(raw("x", "text/plain"));
    const { body } = await send(server.address);
    await body.text(MEGABYTE);
    expect(() => body.stream(MEGABYTE)).toThrow("A body can be read only once");
  });
});

describe("closing the transport", () => {
  it("a closing transport waits for calls in progress and refuses new calls", async () => {
    const held = Promise.withResolvers<() => void>();
    const server = await scriptedServer((response) => held.resolve(() => response.end("done")));
    const one = transport();
    const request = { method: "GET", url: server.address, headers: {}, timeoutMs: NO_DEADLINE_MS };
    const answer = one.send(request);
    const finish = await held.promise;
    let closed = false;
    const closing = one.close().then(() => {
      closed = true;
    });
    expect(await failureOf(one.send(request))).toMatchObject({
      phase: "connect",
      reason: "failed",
    });
    expect(closed).toBe(false);
    finish();
    expect(await (await answer).body.text(MEGABYTE)).toBe("done");
    await closing;
    expect(server.arrivals).toHaveLength(1);
  });
});
