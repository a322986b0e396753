import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createAttachments, processIsAlive } from "./attachments.ts";
import { addClockControl, createSandboxClock } from "./clock.ts";
import { addControlRoutes } from "./control.ts";
import { type StartInstructions, writeAddress } from "./order.ts";
import { openRecords } from "./records.ts";
import { loadSandbox } from "./serve.ts";
import { createSandboxServer } from "./server.ts";

/** Interval in which the sandbox checks whether a gateway is attached, in milliseconds. */
const ATTACHMENT_CHECK_INTERVAL_MS = 30_000;

async function main(instructions: StartInstructions): Promise<void> {
  const clock = createSandboxClock(process.env.SANDBOX_AHEAD_MINUTES);
  mkdirSync(instructions.folder, { recursive: true });
  const records = openRecords(join(instructions.folder, "records.sqlite"));
  const sandboxes = await Promise.all(instructions.sandboxes.map(loadSandbox));
  const attachments = createAttachments(() => new Date(), processIsAlive);
  const server = createSandboxServer({ sandboxes, records, clock: clock.now });
  const addressFile = join(instructions.folder, "address.json");

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

  const timer = setInterval(() => attachments.abandoned() && leave(), ATTACHMENT_CHECK_INTERVAL_MS);
  addClockControl(server, clock);
  addControlRoutes(server, {
    sandboxes,
    attachments,
    fingerprint: instructions.fingerprint,
    leave,
  });
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, leave);
  const address = await server.listen({ host: "127.0.0.1", port: 0 });
  writeAddress(addressFile, address);
  process.send?.({ address });
  process.disconnect?.();
}

// Only the owner may read the records: they resemble customers' data, although they are invented.
process.umask(0o077);
const instructions = process.argv[2];
if (instructions === undefined) throw new TypeError("The sandbox must be started by the gateway");
// Only the gateway that starts this process writes these instructions.
await main(JSON.parse(instructions) as StartInstructions).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
