import { randomUUID } from "node:crypto";
import { type FileHandle, lstat, open, realpath, rename, rm, stat } from "node:fs/promises";
import type { Download } from "../client/download.ts";

/**
 * Writes a document to a file, which appears complete or not at all. An existing file is replaced and keeps its mode. A
 * symbolic link stays, and its target is replaced. A pipe or device is written directly.
 * @throws the error of the call if the document does not arrive completely, and Node's own error if the file cannot be
 *   written
 */
export async function saveTo(
  document: Pick<Download, "discard" | "stream">,
  path: string,
): Promise<void> {
  const { file, finish, mode, partial } = await openPartial(path).catch((error: unknown) => {
    // An unread document would keep its connection open and delay `close()`.
    document.discard();
    throw error;
  });
  try {
    try {
      // `open` reduces the mode by the process's umask.
      if (mode !== null) await file.chmod(mode);
      for await (const chunk of document.stream()) await file.writeFile(chunk);
    } finally {
      await file.close();
    }
    await finish();
  } catch (error) {
    document.discard();
    if (partial !== null) await rm(partial, { force: true });
    throw error;
  }
}

/** Open file that receives a document, and that `finish` moves to its final path. */
interface PartialFile {
  readonly file: FileHandle;
  /** Path of the file until it is complete; null if the target is written directly. */
  readonly partial: string | null;
  /** Mode of the replaced file; null if no file is replaced. */
  readonly mode: number | null;
  readonly finish: () => Promise<void>;
}

async function openPartial(path: string): Promise<PartialFile> {
  const target = await realpath(path).catch(async (error: unknown) => {
    // A link whose target does not exist has no real path either.
    if (
      await lstat(path).then(
        () => true,
        () => false,
      )
    )
      throw error;
    return path;
  });
  const existing = await stat(target).catch(() => null);
  if (existing !== null && !existing.isFile())
    return { file: await open(target, "w"), partial: null, mode: null, finish: async () => {} };
  const partial = `${target}.${randomUUID()}.partial`;
  const file = await open(partial, "wx", existing === null ? undefined : 0o600);
  const mode = existing === null ? null : existing.mode & 0o7777;
  return { file, partial, mode, finish: () => rename(partial, target) };
}
