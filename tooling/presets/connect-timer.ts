import { buildConnector } from "undici";

/**
 * Creates undici's timer for connect timeouts with real timers. undici has one such timer per process and creates it
 * with the first connection. A timer created under fake timers would never fire in any later test.
 */
const connect = buildConnector({ timeout: 1_000 });
// No server listens on port 1.
await new Promise<void>((resolve) => {
  connect({ hostname: "127.0.0.1", port: "1", protocol: "http:" }, (_, socket) => {
    socket?.destroy();
    resolve();
  });
});
