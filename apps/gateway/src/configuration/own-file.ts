import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Reads a file of the gateway's own, and makes it when there is none; readable by its owner only. When several
 * processes start at once, all of them read what the first has written.
 */
export async function readOrCreate(
  file: string,
  content: () => string | Promise<string>,
): Promise<string> {
  const existing = read(file);
  if (existing !== null) return existing;
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, await content(), { mode: 0o600 });
  try {
    // A link appears whole or not at all; when another process was first, its file is the one.
    linkSync(draft, file);
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(file, "utf8");
}

function read(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (isCode(error, "ENOENT")) return null;
    throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
