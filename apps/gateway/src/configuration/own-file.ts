import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Reads a file. If the file does not exist, creates it with the content, readable only by its owner. If several
 * processes create the file at once, all of them return the content of the first process.
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
    // A link makes the complete file visible in one step. It fails if another process has created the file.
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
