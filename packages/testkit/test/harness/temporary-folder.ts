import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder that is removed when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "testkit-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A file of such a folder that is not there yet. */
export function temporaryFile(): string {
  return join(temporaryFolder(), "arrivals.jsonl");
}
