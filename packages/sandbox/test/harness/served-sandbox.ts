import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AnySandbox } from "@insurance-gateway/adapter/sandbox";
import { afterAll } from "vitest";
import { openRecords } from "../../src/records.ts";
import { createSandboxServer } from "../../src/server.ts";

/** Serves a simulated insurer on loopback until the tests of the file end, and returns the server's address. */
export async function serveSandbox(sandbox: AnySandbox): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "insurance-gateway-"));
  const records = openRecords(join(folder, "records.sqlite"));
  const server = createSandboxServer({ sandboxes: [sandbox], records, clock: () => new Date(0) });
  afterAll(async () => {
    await server.close();
    records.close();
    rmSync(folder, { recursive: true });
  });
  return server.listen({ host: "127.0.0.1", port: 0 });
}
