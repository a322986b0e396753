import type { Server } from "node:net";

/** Starts a server on a free loopback port and returns its address. */
export function listen(server: Server): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const bound = server.address();
      if (typeof bound === "object" && bound !== null) resolve(`http://127.0.0.1:${bound.port}`);
      else reject(new TypeError("The server has no port"));
    });
  });
}

/**
 * Loopback address at which no server listens: port 1 has been reserved for tcpmux since 1988, and no system runs it.
 */
export const NOBODY_LISTENS = "http://127.0.0.1:1";
