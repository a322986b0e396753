import { buildConnector } from "undici";
import { afterAll } from "vitest";
import { restoreTimers, timersNow } from "./restore-timers.ts";

const real = timersNow();
// The test files of a process share its globals: fake timers that a test file leaves would stop all later test files.
afterAll(() => restoreTimers(real));

/**
 * Makes undici create its timer for connect timeouts with real timers. undici has one such timer per process and
 * creates the timer with the first connection. If a test used fake timers during the first connection, the timer would
 * never fire in later tests.
 */
const connect = buildConnector({ timeout: 1_000 });
// No server listens on port 1.
await new Promise<void>((resolve) => {
  connect({ hostname: "127.0.0.1", port: "1", protocol: "http:" }, (_, socket) => {
    socket?.destroy();
    resolve();
  });
});
