import { once } from "node:events";
import { createServer } from "node:net";
import { buildConnector } from "undici";
import { expect, it, onTestFinished, vi } from "vitest";
import { restoreTimers, timersNow } from "../restore-timers.ts";

it.each([
  ["Date", "Date"],
  ["performance", "now"],
  ["setInterval", "setInterval"],
  ["setTimeout", "setTimeout"],
] as const)(
  "the check at the end of a test file reports fake timers and restores the real ones: %s",
  (faked, name) => {
    const real = timersNow();
    vi.useFakeTimers({ toFake: [faked] });
    onTestFinished(() => void vi.useRealTimers());
    expect(() => restoreTimers(real)).toThrow(`leaves fakes of ${name}.`);
    expect(timersNow()).toEqual(real);
    expect(() => restoreTimers(real)).not.toThrow();
  },
);

it("a connect timeout fires in real time while a test uses fake timers", async () => {
  const server = createServer((socket) => void socket.on("error", () => undefined));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const bound = server.address();
  const port = typeof bound === "object" && bound !== null ? String(bound.port) : "";
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());

  // The TLS handshake is part of the connection, and this test's server never answers the handshake.
  const target = { hostname: "127.0.0.1", port, protocol: "https:" };
  const code = await new Promise<unknown>((resolve) => {
    buildConnector({ timeout: 20 })(target, (...[error]) =>
      resolve(error !== null && "code" in error ? error.code : null),
    );
  });

  expect(code).toBe("UND_ERR_CONNECT_TIMEOUT");
});
