import type { Server } from "node:http";
import { Server as TlsServer } from "node:tls";
import { forwardSecretCiphers } from "@insurance-gateway/core/transport";
import { generate } from "selfsigned";
import { describe, expect, it, vi } from "vitest";
import { configurationSchema } from "../../src/configuration/schema.ts";
import { formatBytes, formatSeconds } from "../../src/http/quantities.ts";
import { createServer, renewCertificate, renewServer } from "../../src/http/server.ts";

const { limits } = configurationSchema.parse({
  providers: [{ package: "x", upstream: "sandbox" }],
});
const settings = { limits, idleMs: 95_000, tls: null };

/** Returns the limits that Node applies to each connection and request. */
function limitsOf(server: Server): object {
  const { headersTimeout, keepAliveTimeout, maxConnections, maxHeadersCount } = server;
  const { maxRequestsPerSocket, requestTimeout, timeout } = server;
  return {
    headersTimeout,
    requestTimeout,
    keepAliveTimeout,
    timeout,
    maxConnections,
    maxHeadersCount,
    maxRequestsPerSocket,
    // Node's types do not have this property yet.
    dropMaxConnection: Reflect.get(server, "dropMaxConnection"),
  };
}

describe("the server", () => {
  it("the gateway sets every limit of Node's server, and shortens the time limits for requests by a second", () => {
    const few = {
      ...limits,
      headersMs: 10_000,
      requestMs: 30_000,
      keepAliveMs: 7_000,
      connections: 12,
    };
    const server = createServer({ ...settings, limits: few });
    const expected = {
      headersTimeout: 9_000,
      requestTimeout: 29_000,
      keepAliveTimeout: 7_000,
      timeout: 95_000,
      maxConnections: 12,
      maxHeadersCount: 1_001,
      maxRequestsPerSocket: 0,
      dropMaxConnection: true,
    };
    expect(limitsOf(server)).toEqual(expected);
    const fewer = { ...few, headersMs: 300, requestMs: 1_001, keepAliveMs: 1, connections: 2 };
    renewServer(server, { limits: fewer, idleMs: 5, tls: null });
    expect(limitsOf(server)).toEqual({
      ...expected,
      headersTimeout: 1,
      requestTimeout: 1,
      keepAliveTimeout: 1,
      timeout: 5,
      maxConnections: 2,
    });
  });

  it("a TLS server presents a renewed certificate to new connections, and an HTTP server without TLS ignores the renewal", async () => {
    const made = await generate([{ name: "commonName", value: "gateway" }]);
    const tls = { certificate: made.cert, key: made.private };
    const secure = createServer({ ...settings, tls });
    expect(secure).toBeInstanceOf(TlsServer);
    const shown = vi.spyOn(TlsServer.prototype, "setSecureContext");
    renewCertificate(secure, null);
    renewCertificate(createServer(settings), tls);
    expect(shown).not.toHaveBeenCalled();
    renewServer(secure, { ...settings, tls });
    expect(shown.mock.calls).toEqual([
      [
        {
          cert: made.cert,
          key: made.private,
          minVersion: "TLSv1.2",
          ciphers: forwardSecretCiphers,
        },
      ],
    ]);
    shown.mockRestore();
  });
});

describe("quantities in messages", () => {
  it.each([
    [65_536, "64 kB"],
    [1_024, "1 kB"],
    [1_025, "1025 bytes"],
    [1_000, "1000 bytes"],
  ])(
    "a message states bytes in kilobytes if the number is a whole number of kilobytes: %i bytes are %s",
    (bytes, text) => {
      expect(formatBytes(bytes)).toBe(text);
    },
  );

  it.each([
    [1_000, "1 second"],
    [300, "0.3 seconds"],
    [30_000, "30 seconds"],
  ])("messages state a duration in seconds: %i ms are %s", (milliseconds, text) => {
    expect(formatSeconds(milliseconds)).toBe(text);
  });
});
