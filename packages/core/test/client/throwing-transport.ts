import type { Transport } from "../../src/index.ts";

/** Returns a transport as an application may write it: it throws the errors of the application's own HTTP client. */
export function throwingTransport(thrown: unknown): Transport {
  return { send: () => Promise.reject(thrown), close: async () => undefined };
}
