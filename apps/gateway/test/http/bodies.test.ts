import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { PassThrough, Readable } from "node:stream";
import { Refusal } from "@insurance-gateway/core/runtime";
import { loose } from "@insurance-gateway/core/schema";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import type { Caller } from "../../src/callers/caller.ts";
import { createBodyReader, type ExpectedBody } from "../../src/http/body.ts";
import type { RequestFiles } from "../../src/http/uploads/uploads.ts";

const caller: Caller = { issuer: "i", subject: "s", tenant: null, scopes: null };
const json: ExpectedBody = {
  mediaType: "application/json",
  schema: loose({ note: z.string() }),
  contentType: "application/json",
  limitBytes: 10,
};
const pdf: ExpectedBody = { ...json, mediaType: "application/pdf", contentType: "application/pdf" };

/** Creates a request whose body arrives in the given pieces. */
function requestOf(pieces: readonly string[], headers: object = {}): IncomingMessage {
  // The body reader uses only these members of a request.
  return Object.assign(Readable.from(pieces.map((piece) => Buffer.from(piece))), {
    headers,
    socket: new PassThrough(),
  }) as unknown as IncomingMessage;
}

/** Creates a request whose body the test sends. */
function openRequest(headers: object = {}): {
  readonly request: IncomingMessage;
  readonly sent: PassThrough;
} {
  const sent = new PassThrough();
  const request = Object.assign(sent, { headers, socket: new PassThrough() });
  return { request: request as unknown as IncomingMessage, sent };
}

/** Creates the files of a request. `events` records each stored piece, and the removal of the files. */
function filesWith(
  events: string[] = [],
  write: (piece: string) => Promise<void> = async () => {},
): RequestFiles {
  return {
    async beginUpload() {
      return {
        async write(bytes) {
          events.push(`write ${Buffer.from(bytes).toString()}`);
          await write(Buffer.from(bytes).toString());
        },
        // The body reader does not use the other members of a file.
        finish: async (named) => ({ ...named, size: 3 }) as never,
      };
    },
    received() {},
    async remove() {
      events.push("remove");
    },
  };
}

const bodiesOf = (files: RequestFiles = filesWith()): ReturnType<typeof createBodyReader> =>
  createBodyReader(() => 10, { open: () => files });

async function textOf(read: unknown): Promise<unknown> {
  try {
    const body = Object(await read);
    return body.type === "bytes" ? Buffer.from(body.bytes).toString() : body;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return `${error.code}: ${error.details.detail}`;
  }
}

const tooLarge = "PAYLOAD_TOO_LARGE: The body may have at most 10 bytes.";
const notWhole = "INVALID_REQUEST: The body did not arrive whole; send it again.";

describe("a body in memory", () => {
  it.each([
    [[], ""],
    [["1234567890"], "1234567890"],
    [["1", "2", "3", "45", "6", "7890"], "1234567890"],
    [["12345", "678901"], tooLarge],
    [["12345678901"], tooLarge],
  ])(
    "the gateway joins the pieces of a request body in memory, up to a limit of 10 bytes: pieces %j become %s",
    async (pieces, text) => {
      for (const expected of [json, null])
        expect(await textOf(bodiesOf().read(requestOf(pieces), expected, undefined))).toBe(text);
    },
  );

  it("a request body may arrive in at most 4,096 small pieces, plus a further piece for each 256 bytes of the body", async () => {
    const bodies = createBodyReader(() => 100_000, { open: () => filesWith() });
    const read = (small: number, large: number): Promise<unknown> =>
      textOf(
        bodies.read(
          requestOf([...Array(small).fill("x"), ...Array(large).fill("x".repeat(300))]),
          { ...json, limitBytes: 100_000 },
          undefined,
        ),
      );
    expect(await read(4_112, 0)).toBe("x".repeat(4_112));
    expect(await read(4_000, 200)).toBe("x".repeat(64_000));
    expect(await read(4_113, 0)).toBe(
      "INVALID_REQUEST: The body comes in too many small pieces: send chunks of at least 256 bytes.",
    );
  });

  it("the gateway refuses a request body before the body arrives if the Content-Length exceeds the maximum size of a body", async () => {
    const { request } = openRequest({ "content-length": "11" });
    expect(await textOf(bodiesOf().read(request, json, undefined))).toBe(tooLarge);
    const whole = requestOf(["1234567890"], { "content-length": "10" });
    expect(await textOf(bodiesOf().read(whole, json, undefined))).toBe("1234567890");
  });

  it("the gateway reads a request body without waiting if all bytes of the body have already arrived", async () => {
    const arrived = async (text: string): Promise<IncomingMessage> => {
      const { request, sent } = openRequest();
      sent.end(text);
      await new Promise(setImmediate);
      return Object.assign(request, { complete: true });
    };
    const bodies = bodiesOf();
    const whole = await arrived("1234567890");
    const ended = once(whole, "end");
    expect(bodies.read(whole, json, undefined)).toEqual({
      type: "bytes",
      bytes: Buffer.from("1234567890"),
    });
    // Node would keep the request in memory if the request's body did not end.
    await ended;
    expect(bodies.read(await arrived(""), json, undefined)).toMatchObject({ bytes: { length: 0 } });
    expect(await textOf(bodies.read(await arrived("12345678901"), json, undefined))).toBe(tooLarge);
    const gone = await arrived("12");
    gone.destroy();
    expect(await textOf(bodies.read(gone, json, undefined))).toBe(notWhole);
    const late = await arrived("12");
    bodies.giveUp(late, new Refusal("INVALID_REQUEST", { detail: "Too late." }));
    expect(await textOf(bodies.read(late, json, undefined))).toBe("INVALID_REQUEST: Too late.");
  });

  it("the reading of a request body fails if the connection ends before the whole body has arrived", async () => {
    const { request, sent } = openRequest();
    const read = textOf(bodiesOf().read(request, json, undefined));
    sent.write("12");
    sent.destroy();
    expect(await read).toBe(notWhole);
    expect(await textOf(bodiesOf().read(request, json, undefined))).toBe(notWhole);
  });

  it("the reading of a cancelled request body fails with the reason of the cancellation, even if the reading begins later", async () => {
    const why = new Refusal("INVALID_REQUEST", { detail: "Too late." });
    const bodies = bodiesOf();
    const { request, sent } = openRequest();
    const read = textOf(bodies.read(request, json, undefined));
    sent.write("12");
    bodies.giveUp(request, why);
    expect(await read).toBe("INVALID_REQUEST: Too late.");
    sent.end("3");
    const other = openRequest();
    bodies.giveUp(other.request, why);
    expect(await textOf(bodies.read(other.request, json, undefined))).toBe(
      "INVALID_REQUEST: Too late.",
    );
  });
});

describe("a body that is a file", () => {
  it("the gateway stores an uploaded file piece by piece, and reads each piece only after the previous piece is stored", async () => {
    const events: string[] = [];
    const stored = Promise.withResolvers<void>();
    const { request, sent } = openRequest();
    const bodies = bodiesOf(
      filesWith(events, (piece) => (piece === "1" ? stored.promise : Promise.resolve())),
    );
    const read = textOf(bodies.read(request, pdf, caller));
    await new Promise(setImmediate);
    sent.write("1");
    await new Promise(setImmediate);
    sent.end("2");
    await new Promise(setImmediate);
    expect(events).toEqual(["write 1"]);
    stored.resolve();
    expect(await read).toEqual({ type: "file", file: { mediaType: "application/pdf", size: 3 } });
    await bodies.remove(request);
    await bodies.remove(openRequest().request);
    expect(events).toEqual(["write 1", "write 2", "remove"]);
  });

  it("the gateway removes an uploaded file and reads no more of the upload if the file is too large or cannot be stored", async () => {
    const ofLarge: string[] = [];
    const large = requestOf(["12345", "678901"]);
    expect(await textOf(bodiesOf(filesWith(ofLarge)).read(large, pdf, caller))).toBe(tooLarge);
    expect(ofLarge).toEqual(["write 12345", "remove"]);
    const ofFailing: string[] = [];
    const { request, sent } = openRequest();
    const failing = bodiesOf(
      filesWith(ofFailing, async () => {
        throw new Refusal("STORE_UNAVAILABLE", { detail: "Disk full." });
      }),
    );
    const read = textOf(failing.read(request, pdf, caller));
    await new Promise(setImmediate);
    sent.write("1");
    expect(await read).toBe("STORE_UNAVAILABLE: Disk full.");
    sent.end("2");
    await new Promise(setImmediate);
    expect([ofFailing, request.readableFlowing]).toEqual([["write 1", "remove"], false]);
  });

  it("the gateway refuses an upload if the caller is unknown or already has too many running uploads", async () => {
    const bodies = bodiesOf();
    await expect(bodies.read(requestOf(["1"]), pdf, undefined)).rejects.toThrow(
      new TypeError("The request was not admitted"),
    );
    const refusing = createBodyReader(() => 10, {
      open() {
        throw new Refusal("RATE_LIMITED", { detail: "Two at once." });
      },
    });
    const { request } = openRequest();
    expect(await textOf(refusing.read(request, pdf, caller))).toBe("RATE_LIMITED: Two at once.");
    expect(request.readableFlowing).toBe(null);
  });
});

describe("a form with parts", () => {
  const form: ExpectedBody = {
    ...json,
    mediaType: "multipart/form-data",
    contentType: "multipart/form-data; boundary=b",
    limitBytes: 1_024,
  };

  it("a form may exceed the limit for its files by 64 kB, but its text fields may not exceed the limit for a body in memory", async () => {
    const part = (text: string): string =>
      `--b\r\nContent-Disposition: form-data; name="note"\r\n\r\n${text}\r\n--b--\r\n`;
    expect(await textOf(bodiesOf().read(requestOf([part("1234567890")]), form, caller))).toEqual({
      type: "form",
      entries: [["note", "1234567890"]],
    });
    expect(await textOf(bodiesOf().read(requestOf([part("12345678901")]), form, caller))).toBe(
      "PAYLOAD_TOO_LARGE: All fields of a form that are not files may have at most 10 bytes together.",
    );
    const announced = openRequest({ "content-length": String(1_024 + 65_536 + 1) });
    expect(await textOf(bodiesOf().read(announced.request, form, caller))).toBe(
      "PAYLOAD_TOO_LARGE: The body may have at most 65 kB.",
    );
  });
});
