import type { Transport } from "../../src/index.ts";

/** A transport as an application may write one: it fails with whatever its own HTTP client throws. */
export function throwingTransport(thrown: unknown): Transport {
  return { send: () => Promise.reject(thrown), close: async () => undefined };
}
