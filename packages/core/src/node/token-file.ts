import { readFile } from "node:fs/promises";
import type { TokenFunction } from "../auth/token-source.ts";

/** A file is read again in half of this time, in seconds; the token before is used meanwhile. */
const READ_AGAIN_SECONDS = 60;

/**
 * Reads the tokens of a client from a file, such as one that Kubernetes mounts and renews. It is read about twice a minute, and at
 * once if the gateway refuses the token.
 */
export function tokenFile(path: string): TokenFunction {
  return async () => ({
    token: (await readFile(path, "utf8")).trim(),
    expiresInSeconds: READ_AGAIN_SECONDS,
  });
}
