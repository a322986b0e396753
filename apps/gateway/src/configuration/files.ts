import { hash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";

/** The text of a file, or the reason why the file cannot be read. */
export type FileContent = { readonly text: string } | { readonly fault: "missing" | "unreadable" };

/** The reader of a configuration's files: the configuration file and the files with secrets. */
export interface Files {
  read(path: string): FileContent;
}

/** The reader that reads each file from the disk. */
export const diskFiles: Files = {
  read(path) {
    const content = readContent(path);
    return "bytes" in content ? { text: content.bytes.toString("utf8") } : content;
  },
};

/** A digest of each read file, by path. The texts are not kept, because most of them are secrets. */
export type FileDigests = ReadonlyMap<string, string>;

/** Creates a reader that records the digest of each file, and returns the same text if a file is read again. */
export function createRecordingReader(): Files & { readonly digests: FileDigests } {
  const contents = new Map<string, FileContent>();
  const digests = new Map<string, string>();
  return {
    digests,
    read(path) {
      const known = contents.get(path);
      if (known !== undefined) return known;
      const found = readContent(path);
      const content = "bytes" in found ? { text: found.bytes.toString("utf8") } : found;
      contents.set(path, content);
      digests.set(path, digestOf(found));
      return content;
    },
  };
}

/** A watch that compares the files' present content with the content at the time of reading. */
export type FileWatch = ReturnType<typeof watchFiles>;

/** Number of files after which the watch lets other work of the process run. */
const FILES_PER_BATCH = 100;

/** Creates a watch for files. @param digests - the digest of each file when it was read */
export function watchFiles(digests: FileDigests) {
  return {
    /** Reports whether all files still have the same content. A link is followed to its current target. */
    async areUnchanged(): Promise<boolean> {
      for (const [index, [path, digest]] of [...digests].entries()) {
        if ((digestOnDisk(path) ?? digest) !== digest) return false;
        if (index % FILES_PER_BATCH === FILES_PER_BATCH - 1) await setImmediate();
      }
      return true;
    },
  };
}

/**
 * Returns the digest of a file's content, or the reason why the file cannot be read.
 * @returns null for a named pipe or a device: a read could wait forever, and would remove the content
 */
function digestOnDisk(path: string): string | null {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(file);
      if (stats.isFIFO() || stats.isCharacterDevice()) return null;
      return digestOf({ bytes: readFileSync(file) });
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return faultOf(error);
  }
}

/** Returns the digest of a file's content, or the reason why the file could not be read. */
function digestOf(content: ReturnType<typeof readContent>): string {
  return "bytes" in content ? hash("sha256", content.bytes, "base64url") : content.fault;
}

/** Reads a file in this thread: Node's thread pool needs nine times the processor time for a small file. */
function readContent(
  path: string,
): { readonly bytes: Buffer } | { readonly fault: "missing" | "unreadable" } {
  try {
    return { bytes: readFileSync(path) };
  } catch (error) {
    return { fault: faultOf(error) };
  }
}

function faultOf(error: unknown): "missing" | "unreadable" {
  const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
  return isMissing ? "missing" : "unreadable";
}
