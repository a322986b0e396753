import type { Refusal } from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";
import { configurationSchema } from "../../src/configuration/schema.ts";
import { beginsAsRequest, refusalOfReading } from "../../src/http/listener/refuse-unread.ts";

const { limits } = configurationSchema.parse({
  providers: [{ package: "x", upstream: "sandbox" }],
  limits: { headerBytes: 4_096, headersMs: 1_000, requestMs: 2_500 },
});

const written = ({ code, details }: Refusal): object => ({ code, ...details });
const notHttp = { code: "INVALID_REQUEST", detail: "The request is not well-formed HTTP/1.1." };
const bytesOf = (text: string): Uint8Array => Buffer.from(text, "latin1");

describe("unreadable bytes", () => {
  it.each([
    [
      "headers that are too large",
      { code: "HPE_HEADER_OVERFLOW" },
      {
        code: "HEADERS_TOO_LARGE",
        detail: "The address and the headers of a request may have at most 4 kB together.",
      },
    ],
    [
      "a request that is too late",
      { code: "ERR_HTTP_REQUEST_TIMEOUT" },
      {
        code: "INVALID_REQUEST",
        detail:
          "The request did not arrive in time: its headers must arrive within 1 second, the whole request within 2.5 seconds.",
      },
    ],
    [
      "an unknown method",
      { code: "HPE_INVALID_METHOD", rawPacket: bytesOf("BREW / HTTP/1.1\r\n") },
      expect.objectContaining({ code: "METHOD_NOT_ALLOWED" }),
    ],
    [
      "an unknown method without HTTP",
      { code: "HPE_INVALID_METHOD", rawPacket: bytesOf("x\r\n") },
      notHttp,
    ],
    ["an unknown method without bytes", { code: "HPE_INVALID_METHOD" }, notHttp],
    [
      "a bad header",
      { code: "HPE_INVALID_HEADER_TOKEN", rawPacket: bytesOf("GET / HTTP/1.1\r\n") },
      notHttp,
    ],
    ["any other error", {}, notHttp],
  ])(
    "the problem of unreadable bytes names the fault that Node reported: %s",
    (_, error, expected) => {
      expect(written(refusalOfReading(error, limits))).toEqual(expected);
    },
  );

  it("bytes count as a request only if they begin with a complete request line", () => {
    const line = (length: number): string => `GET /${"x".repeat(length - 15)} HTTP/1.1\n`;
    expect(line(2_048)).toHaveLength(2_048);
    for (const [text, begins] of [
      ["GET / HTTP/1.1\r\n", true],
      ["g!#$%&'*+-.^_`|~z / HTTP/1.0\n", true],
      ["GET / HTTP/1.2\r\n", false],
      ["GET  / HTTP/1.1\r\n", false],
      [" GET / HTTP/1.1\r\n", false],
      ["GET / HTTP/1.1", false],
      [line(2_048), true],
      [line(2_049), false],
    ] as const)
      expect([text, beginsAsRequest(bytesOf(text))]).toEqual([text, begins]);
    expect(beginsAsRequest("GET / HTTP/1.1\r\n")).toBe(false);
  });
});
