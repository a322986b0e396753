import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";

/** The text of a file, or why there is none. */
export type FileContent = { readonly text: string } | { readonly fault: "missing" | "unreadable" };

/** Reads the files of a configuration: its own, and those that hold secrets. */
export interface Files {
  read(path: string): FileContent;
}

/** The files on disk. */
export const diskFiles: Files = { read: (path) => contentOf(() => readFileSync(path, "utf8")) };

/** What was read of a set of files: by path, a digest of each. The texts are not kept, because most are secrets. */
export type FileDigests = ReadonlyMap<string, string>;

/** Reads files on disk and notes what it read; a file that is read twice gives the same text both times. */
export function noteFiles(): Files & { readonly digests: FileDigests } {
  const contents = new Map<string, FileContent>();
  const digests = new Map<string, string>();
  return {
    digests,
    read(path) {
      const content = contents.get(path) ?? diskFiles.read(path);
      contents.set(path, content);
      digests.set(path, digestOf(content));
      return content;
    },
  };
}

/** Whether every file still has the content that was read. A link is followed to what it leads to now. */
export async function areUnchanged(digests: FileDigests): Promise<boolean> {
  for (const [path, digest] of digests) {
    const content = await readFile(path, "utf8").then(
      (text) => ({ text }),
      (error: unknown) => ({ fault: faultOf(error) }),
    );
    if (digestOf(content) !== digest) return false;
  }
  return true;
}

function contentOf(read: () => string): FileContent {
  try {
    return { text: read() };
  } catch (error) {
    return { fault: faultOf(error) };
  }
}

function faultOf(error: unknown): "missing" | "unreadable" {
  return error instanceof Error && "code" in error && error.code === "ENOENT"
    ? "missing"
    : "unreadable";
}

function digestOf(content: FileContent): string {
  return "text" in content ? hash("sha256", content.text, "base64url") : content.fault;
}
