import { once } from "node:events";
import { createServer } from "node:net";
import { buildConnector } from "undici";
import { expect, it, onTestFinished, vi } from "vitest";
import { replacedTimers, timersNow } from "../replaced-timers.ts";

it.each([["Date"], ["performance"], ["setInterval"], ["setTimeout"]] as const)(
  "a test file that leaves fake timers fails: %s",
  (name) => {
    const real = timersNow();
    expect(replacedTimers(real)).toEqual([]);
    vi.useFakeTimers({ toFake: [name] });
    onTestFinished(() => void vi.useRealTimers());
    expect(replacedTimers(real)).toEqual([name === "performance" ? "now" : name]);
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
