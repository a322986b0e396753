import { pathToFileURL } from "node:url";
import type { AnySandbox, SandboxCredential } from "@insurance-gateway/adapter/sandbox";
import { addClockControl, createSandboxClock } from "./clock.ts";
import { openRecords } from "./records.ts";
import { createSandboxServer } from "./server.ts";

/** Simulated insurers that are served without a gateway. */
export interface ServedSandboxes {
  readonly address: string;
  readonly insurers: readonly {
    readonly id: string;
    readonly name: string;
    readonly address: string;
    /** Credentials that the insurer requires. They are test values, not secrets. */
    readonly credentials: readonly SandboxCredential[];
  }[];
  close(): Promise<void>;
}

/** Options of `serve`. */
export interface ServeOptions {
  /** Paths of the modules that the provider packages export as `./sandbox`. */
  readonly sandboxes: readonly string[];
  /** Port; 0 for any free port. */
  readonly port: number;
  /** File of the records. Default: in memory. */
  readonly recordsFile?: string;
  /** Minutes that the clock is ahead. */
  readonly aheadMinutes?: string;
}

/** Serves simulated insurers on loopback until they are closed. */
export async function serveSandboxes(options: ServeOptions): Promise<ServedSandboxes> {
  const { aheadMinutes, port, recordsFile = ":memory:" } = options;
  const clock = createSandboxClock(aheadMinutes);
  const sandboxes = await Promise.all(options.sandboxes.map(loadSandbox));
  const records = openRecords(recordsFile);
  const server = createSandboxServer({ sandboxes, records, clock: clock.now });
  addClockControl(server, clock);
  const address = await server.listen({ host: "127.0.0.1", port });
  return {
    address,
    insurers: sandboxes.map(({ dialect, provider: { id, name } }) => ({
      id,
      name,
      address: `${address}/${id}`,
      credentials: dialect?.credentials ?? [],
    })),
    async close() {
      await server.close();
      records.close();
    },
  };
}

/**
 * Loads the module that a provider package exports as `./sandbox`. This runs the module's code.
 * @throws Error that names the file
 */
export async function loadSandbox(file: string): Promise<AnySandbox> {
  const module: unknown = await import(pathToFileURL(file).href).catch((error: unknown) => {
    const words = error instanceof Error ? error.message : String(error);
    throw new Error(`${file} cannot be loaded: ${words}`, { cause: error });
  });
  if (typeof module === "object" && module !== null && "sandbox" in module)
    // A provider's ./sandbox exports the result of defineSandbox.
    return module.sandbox as AnySandbox;
  throw new TypeError(`${file} exports no sandbox`);
}
