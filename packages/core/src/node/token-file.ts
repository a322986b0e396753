import { readFile } from "node:fs/promises";
import type { TokenFunction } from "../auth/token-source.ts";

/** Assumed lifetime of a token, in seconds. The file is read again after half of this time. */
const ASSUMED_LIFETIME_SECONDS = 60;

/**
 * Returns a token function that reads a client's token from a file, such as a file that Kubernetes mounts and renews.
 * The file is read about twice a minute, and at once if the gateway refuses the token.
 */
export function tokenFile(path: string): TokenFunction {
  return async () => ({
    token: (await readFile(path, "utf8")).trim(),
    expiresInSeconds: ASSUMED_LIFETIME_SECONDS,
  });
}
