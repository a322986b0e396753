import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Reads a file of the gateway, or creates it, readable only by its owner, if it does not exist. If several processes
 * start at once, all of them read the file that the first process created.
 */
export async function readOrCreate(
  file: string,
  content: () => string | Promise<string>,
): Promise<string> {
  const existing = readIfPresent(file);
  if (existing !== null) return existing;
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, await content(), { mode: 0o600 });
  try {
    // A link appears completely or not at all. If another process was faster, its file counts.
    linkSync(draft, file);
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(file, "utf8");
}

function readIfPresent(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return null;
    throw error;
  }
}

function hasErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
