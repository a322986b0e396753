import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AnySandbox } from "@insurance-gateway/core/sandbox";
import { createAttachments, processIsAlive } from "./attachments.ts";
import { addControl } from "./control.ts";
import { type SandboxOrder, writeAddress } from "./order.ts";
import { openRecords } from "./records.ts";
import { createSandboxServer } from "./server.ts";

/** How often the sandbox looks whether anybody is attached. */
const LOOK_EVERY_MS = 30_000;

async function load(file: string): Promise<AnySandbox> {
  const module: unknown = await import(pathToFileURL(file).href).catch((error: unknown) => {
    const words = error instanceof Error ? error.message : String(error);
    throw new Error(`${file} cannot be loaded: ${words}`, { cause: error });
  });
  if (typeof module === "object" && module !== null && "sandbox" in module)
    // A provider's ./sandbox exports what defineSandbox gave it.
    return module.sandbox as AnySandbox;
  throw new TypeError(`${file} exports no sandbox`);
}

async function main(order: SandboxOrder): Promise<void> {
  const clock = (): Date => new Date();
  mkdirSync(order.folder, { recursive: true });
  const records = openRecords(join(order.folder, "records.sqlite"));
  const sandboxes = await Promise.all(order.sandboxes.map(load));
  const attachments = createAttachments(clock, processIsAlive);
  const server = createSandboxServer({ sandboxes, records, clock });
  const addressFile = join(order.folder, "address.json");

  let leaving = false;
  function leave(): void {
    if (leaving) return;
    leaving = true;
    clearInterval(timer);
    rmSync(addressFile, { force: true });
    void server.close().finally(() => {
      records.close();
      process.exit(0);
    });
  }

  const timer = setInterval(() => attachments.abandoned() && leave(), LOOK_EVERY_MS);
  addControl(server, { sandboxes, attachments, fingerprint: order.fingerprint, leave });
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, leave);
  const address = await server.listen({ host: "127.0.0.1", port: 0 });
  writeAddress(addressFile, address);
  process.send?.({ address });
  process.disconnect?.();
}

// Records are customers' data, if only invented ones.
process.umask(0o077);
const order = process.argv[2];
if (order === undefined) throw new TypeError("The sandbox is started by the gateway");
// The gateway that starts this process writes the order; nobody else does.
await main(JSON.parse(order) as SandboxOrder).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
