import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Reads a file. Creates a missing file with the given content, so that only the file's owner can read it. If several
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
    // A link makes the complete file visible in one step. The link cannot be created if another process has created the
    // file.
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
