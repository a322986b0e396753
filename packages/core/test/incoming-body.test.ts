import { describe, expect, it } from "vitest";
import { createIncomingBody, type IncomingBody } from "../src/transport/incoming-body.ts";
import { TransportError } from "../src/transport/transport.ts";

const MOST_UNREAD = 65_536;
const MEGABYTE = 1_048_576;

/** Creates a body with a number of bytes, and records the pauses and aborts that the body requests. */
function begin(length: number | null = null): {
  readonly body: IncomingBody;
  readonly asked: string[];
} {
  const asked: string[] = [];
  const body = createIncomingBody(
    { pause: () => void asked.push("pause"), resume: () => void asked.push("resume") },
    length,
    ({ reason }) => void asked.push(`abort: ${reason}`),
  );
  return { body, asked };
}

describe("a body that arrives faster than it is read", () => {
  it("an incoming body pauses the connection at 64 KiB of unread bytes, and resumes the connection when all bytes are read", async () => {
    const { asked, body } = begin();
    body.push(new Uint8Array(MOST_UNREAD - 1));
    expect([asked, body.isHeldUp()]).toEqual([[], false]);
    body.push(new Uint8Array(1));
    body.push(new Uint8Array(1));
    expect([asked, body.isHeldUp()]).toEqual([["pause"], true]);
    const reader = body.stream(MEGABYTE);
    for (const length of [MOST_UNREAD - 1, 1])
      expect([(await reader.next()).value?.byteLength, asked]).toEqual([length, ["pause"]]);
    await reader.next();
    expect([asked, body.isHeldUp()]).toEqual([["pause", "resume"], false]);
  });

  it("an incoming body pauses the connection at 16 KiB of unread bytes if the reader of the body's stream does not wait", async () => {
    const { asked, body } = begin();
    const reader = body.stream(MEGABYTE);
    const first = reader.next();
    body.push(new Uint8Array(MOST_UNREAD));
    expect([(await first).value?.byteLength, asked]).toEqual([MOST_UNREAD, []]);
    body.push(new Uint8Array(16_383));
    expect(asked).toEqual([]);
    body.push(new Uint8Array(1));
    expect([asked, body.isHeldUp()]).toEqual([["pause"], true]);
    expect([reader.take()?.byteLength, asked]).toEqual([16_383, ["pause"]]);
    expect([reader.take()?.byteLength, asked]).toEqual([1, ["pause", "resume"]]);
  });

  it("an incoming body does not pause the connection after the last byte", () => {
    const { asked, body } = begin(MOST_UNREAD + 1);
    body.push(new Uint8Array(MOST_UNREAD - 1));
    body.push(new Uint8Array(2));
    expect(asked).toEqual([]);
  });

  it("an incoming body does not pause the connection for the empty chunk that undici delivers when the connection resumes", () => {
    const { asked, body } = begin();
    const reader = body.stream(MEGABYTE);
    body.push(new Uint8Array());
    expect([reader.take(), asked]).toEqual([undefined, []]);
  });

  it("an incoming body of more than 64 KiB cannot be read in one piece", () => {
    const { body } = begin();
    body.push(new Uint8Array(MOST_UNREAD + 1));
    body.end();
    expect(body.takeWhole?.(MEGABYTE)).toBeNull();
  });
});

describe("discarded bodies", () => {
  it("a body that the reader discards aborts the exchange and cannot be read", async () => {
    const { asked, body } = begin();
    body.push(new Uint8Array(1));
    body.discard();
    expect(asked).toEqual(["abort: cancelled"]);
    expect(body.takeWhole?.(MEGABYTE)).toBeNull();
    expect(() => body.stream(MEGABYTE)).toThrow("A body can be read only once");
    await expect(body.text(MEGABYTE)).rejects.toThrow("A body can be read only once");
  });

  it("a discarded body returns no more bytes to the reader, even if bytes have already arrived", async () => {
    const { body } = begin();
    for (const text of ["a", "b"]) body.push(Buffer.from(text));
    const reader = body.stream(MEGABYTE);
    expect((await reader.next()).value).toEqual(Buffer.from("a"));
    body.discard();
    body.fail(new TransportError("body", "cancelled"));
    await expect(reader.next()).rejects.toMatchObject({ phase: "body", reason: "cancelled" });
  });

  it("a body that the reader discards does not abort the exchange if all bytes have arrived", () => {
    const { asked, body } = begin();
    body.push(new Uint8Array(1));
    body.end();
    body.discard();
    expect(asked).toEqual([]);
  });
});

it("a body that breaks off returns the received bytes to the reader, and then the first error", async () => {
  const { body } = begin();
  body.push(Buffer.from("a"));
  body.fail(new TransportError("body", "timeout"));
  body.fail(new TransportError("body", "failed"));
  expect(body.takeWhole?.(MEGABYTE)).toBeNull();
  const reader = body.stream(MEGABYTE);
  expect(Buffer.from((await reader.next()).value ?? []).toString()).toBe("a");
  await expect(reader.next()).rejects.toMatchObject({ phase: "body", reason: "timeout" });
});

it("the reader of a body waits for later bytes and for the end of the body", async () => {
  const { body } = begin();
  const reader = body.stream(MEGABYTE);
  const first = reader.next();
  body.push(Buffer.from("a"));
  expect((await first).value).toEqual(Buffer.from("a"));
  const last = reader.next();
  body.end();
  expect(await last).toEqual({ done: true, value: undefined });
});

it("the reader of a body takes received bytes without a promise, and is called back for further bytes and at the end", () => {
  const { body } = begin();
  const reader = body.stream(3);
  let calls = 0;
  const wait = (): void => reader.whenReady(() => void calls++);
  expect(reader.take()).toBeUndefined();
  wait();
  body.push(Buffer.from("a"));
  body.push(Buffer.from("b"));
  expect(calls).toBe(1);
  expect([reader.take(), reader.take(), reader.take()].map(String)).toEqual([
    "a",
    "b",
    "undefined",
  ]);
  wait();
  expect(calls).toBe(1);
  body.end();
  expect([calls, reader.take(), reader.take()]).toEqual([2, null, null]);
  wait();
  expect(calls).toBe(3);
});

it("simultaneous reads of a body receive one chunk each, in order, and then the end of the body", async () => {
  const { body } = begin();
  const reader = body.stream(MEGABYTE);
  const readings = [reader.next(), reader.next(), reader.next(), reader.next()];
  body.push(Buffer.from("a"));
  body.push(Buffer.from("b"));
  body.end();
  const values = (await Promise.all(readings)).map(({ value }) => String(value));
  expect(values).toEqual(["a", "b", "undefined", "undefined"]);
});

it("a body can have only one reader", () => {
  const { body } = begin();
  body.stream(MEGABYTE);
  expect(() => body.stream(MEGABYTE)).toThrow("A body can be read only once");
});

it("a body's stream discards the body if the stream is closed before the first read", async () => {
  const { asked, body } = begin();
  await body.stream(MEGABYTE).return();
  expect(asked).toEqual(["abort: cancelled"]);
});

it("the reader of a body receives an error, and the exchange is aborted, if the body is larger than the reader's maximum", () => {
  const { asked, body } = begin();
  const reader = body.stream(1);
  body.push(Buffer.from("ab"));
  expect(() => reader.take()).toThrow(expect.objectContaining({ reason: "too_large" }));
  expect(asked).toContain("abort: too_large");
});
