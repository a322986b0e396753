import { buildConnector } from "undici";

/**
 * undici uses one timer in a process for all connect timeouts, and creates it with the first connection. Created under fake
 * timers, it would never fire again, in any later test of the process. This file creates it with real timers.
 */
const connect = buildConnector({ timeout: 1_000 });
// Nobody listens at port 1.
await new Promise<void>((resolve) => {
  connect({ hostname: "127.0.0.1", port: "1", protocol: "http:" }, (_, socket) => {
    socket?.destroy();
    resolve();
  });
});
