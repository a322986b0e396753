import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { FilePart } from "@insurance-gateway/core/contract";
import { Refusal } from "../problems/refusal.ts";
import { createEncryptedFile, type FileFacts } from "./encrypted-file.ts";

/** A file of a request, on disk until the request is over. */
export interface UploadedFile extends FilePart {
  readonly content: AsyncIterable<Uint8Array>;
  readonly size: number;
  /** What stands for the file where requests are compared: its digest instead of its bytes. */
  toJSON(): object;
}

/** A file that is being received. */
export interface Upload {
  /** Appends bytes; throws a Refusal when they cannot be stored. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the receiving. */
  finish(named: Pick<FilePart, "name" | "mediaType">): Promise<UploadedFile>;
  remove(): Promise<void>;
}

/** Receives the files of requests. */
export interface Uploads {
  begin(): Promise<Upload>;
}

/** All files together may have so many bytes: the disk has the submissions, too. */
const MOST_STORED_BYTES = 1024 * 1024 * 1024;
const RETRY_AFTER_SECONDS = 5;

/**
 * Opens the folder of uploads, and removes what an earlier process has left there: its key is lost. Another process that
 * uses the folder now loses nothing, because it has its files open.
 * @param data - the data folder
 */
export async function openUploads(data: string): Promise<Uploads> {
  const folder = join(data, "uploads");
  // A gateway whose endpoints take no files needs no folder that it can write to.
  const left = await readdir(folder).catch(() => []);
  for (const name of left) await rm(join(folder, name), { force: true, recursive: true });
  let stored = 0;
  return {
    async begin() {
      const file = await mkdir(folder, { recursive: true, mode: 0o700 })
        .then(() => createEncryptedFile(folder))
        .catch(refuseUnstored);
      let own = 0;
      let isRemoved = false;
      return {
        async write(bytes) {
          if (isRemoved) throw new TypeError("The upload was removed");
          own += bytes.byteLength;
          stored += bytes.byteLength;
          if (stored > MOST_STORED_BYTES) throw tooManyUploads();
          await file.write(bytes).catch(refuseUnstored);
        },
        async finish(named) {
          const facts = await file.finish().catch(refuseUnstored);
          return uploadedFile(named, facts, () => file.read());
        },
        async remove() {
          isRemoved = true;
          stored -= own;
          own = 0;
          await file.remove();
        },
      };
    },
  };
}

function uploadedFile(
  named: Pick<FilePart, "name" | "mediaType">,
  { sha256, size }: FileFacts,
  read: () => AsyncGenerator<Uint8Array>,
): UploadedFile {
  return {
    ...named,
    content: { [Symbol.asyncIterator]: read },
    size,
    toJSON: () => ({ ...named, size, sha256 }),
  };
}

function refuseUnstored(error: unknown): never {
  throw new Refusal(
    "STORE_UNAVAILABLE",
    {
      detail: "The gateway cannot write the files of the request to its disk. Try again later.",
      headers: { "retry-after": String(RETRY_AFTER_SECONDS) },
    },
    error,
  );
}

function tooManyUploads(): Refusal {
  return new Refusal("OVERLOADED", {
    detail: "The gateway is receiving too many files at once; nothing was sent to an insurer.",
    reason: "uploads",
    headers: { "retry-after": String(RETRY_AFTER_SECONDS) },
  });
}
