import { buildConnector } from "undici";

/**
 * undici counts the time limits of all connections of a process with one timer, which begins with the first connection.
 * It begins here, in real time: a timer that begins while a test holds the time never ticks again, in no later test.
 */
const connect = buildConnector({ timeout: 1_000 });
// Nobody listens at port 1, so no connection is left behind.
await new Promise<void>((resolve) => {
  connect({ hostname: "127.0.0.1", port: "1", protocol: "http:" }, () => resolve());
});
