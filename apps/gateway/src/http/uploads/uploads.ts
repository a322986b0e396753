import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { FilePart } from "@insurance-gateway/core/contract";
import { Refusal } from "@insurance-gateway/core/runtime";
import type { Caller } from "../../callers/caller.ts";
import type { LimitsConfiguration } from "../../configuration/file.ts";
import {
  createEncryptedFile,
  type EncryptedFile,
  type FileSection,
  type SectionWriter,
} from "./encrypted-file.ts";

/** An uploaded file of a request. The file stays on disk until the request ends. */
export interface UploadedFile extends FilePart {
  readonly content: AsyncIterable<Uint8Array>;
  readonly size: number;
  /** Returns the file's digest in place of its bytes; requests are compared by their JSON. */
  toJSON(): object;
}

/** A file that is being received. */
export interface Upload {
  /** Appends bytes; throws a Refusal if the bytes cannot be stored. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the upload; returns the file with its name and media type. */
  finish(named: Pick<FilePart, "name" | "mediaType">): Promise<UploadedFile>;
}

/** The uploaded files of one request: all are parts of one file on disk, and are received one after the other. */
export interface RequestFiles {
  /** Begins a file; the previous file must be finished. Throws a Refusal if the new file cannot be stored. */
  beginUpload(): Promise<Upload>;
  /** Releases the part of the reserved space that the files do not need; called after all files have arrived. */
  received(): void;
  /** Removes all files; a second call has no effect. */
  remove(): Promise<void>;
}

/** Receives the uploaded files of all requests of this process. */
export type UploadReceiver = Awaited<ReturnType<typeof openUploads>>;

/** The maximum bytes of simultaneous uploads in one process, and the maximum number of uploads of one caller. */
export type UploadLimits = Pick<LimitsConfiguration, "uploadBytes" | "uploadsPerCaller">;

const RETRY_AFTER_SECONDS = 5;

/**
 * Opens the folder of uploads, and removes the files of an earlier process, because their key is lost. Another process
 * that uses the folder at this moment loses nothing, because its files are open.
 * @param data - the data folder
 * @param limits - returns the configured limits, which a reload can change
 */
export async function openUploads(data: string, limits: () => UploadLimits) {
  const folder = join(data, "uploads");
  // The folder need not be writable if the declared endpoints accept no files.
  const left = await readdir(folder).catch(() => []);
  for (const name of left) await rm(join(folder, name), { force: true, recursive: true });
  const callers = createUploadCounts(() => limits().uploadsPerCaller);
  let kept = 0;
  return {
    /**
     * Begins the uploads of a request, and reserves space for them, so that a begun upload can always be completed.
     * @param mostBytes - the maximum size of the request's body
     * @throws Refusal if there is no space, or the caller has too many other uploads
     */
    open(caller: Caller, mostBytes: number): RequestFiles {
      // A single upload may exceed the limit for all uploads together: otherwise it could never be sent.
      if (kept > 0 && kept + mostBytes > limits().uploadBytes) throw tooManyUploads();
      const leave = callers.enter(caller);
      let file: Promise<EncryptedFile> | undefined;
      let own = mostBytes;
      let written = 0;
      kept += own;
      let removal: Promise<void> | undefined;
      const checkOpen = (): void => {
        if (removal !== undefined) throw new TypeError("The files of the request were removed");
      };

      async function write(section: SectionWriter, bytes: Uint8Array): Promise<void> {
        checkOpen();
        written += bytes.byteLength;
        await section.write(bytes).catch(throwRefusalOfUpload);
      }

      async function removeAll(): Promise<void> {
        // Wait until the file has been created. A failed creation leaves no file.
        const made = await file?.catch(() => undefined);
        await made?.remove();
        kept -= own;
        leave();
      }

      return {
        async beginUpload() {
          checkOpen();
          file ??= mkdir(folder, { recursive: true, mode: 0o700 }).then(() =>
            createEncryptedFile(folder),
          );
          const section = (await file.catch(throwRefusalOfUpload)).beginSection();
          return {
            write: (bytes) => write(section, bytes),
            finish: async (named) =>
              createUploadedFile(named, await section.finish().catch(throwRefusalOfUpload)),
          };
        },
        received() {
          kept -= own - written;
          own = written;
        },
        remove() {
          removal ??= removeAll();
          return removal;
        },
      };
    },
  };
}

/** Counts the running uploads of each caller. */
function createUploadCounts(limit: () => number): { enter(caller: Caller): () => void } {
  const counts = new Map<string, number>();
  return {
    enter({ issuer, subject }) {
      const caller = JSON.stringify([issuer, subject]);
      const count = counts.get(caller) ?? 0;
      const most = limit();
      if (count >= most) throw tooManyUploadsOfCaller(most);
      counts.set(caller, count + 1);
      return () => {
        const left = (counts.get(caller) ?? 1) - 1;
        if (left === 0) counts.delete(caller);
        else counts.set(caller, left);
      };
    },
  };
}

function createUploadedFile(
  named: Pick<FilePart, "name" | "mediaType">,
  { read, sha256, size }: FileSection,
): UploadedFile {
  return {
    ...named,
    content: { [Symbol.asyncIterator]: read },
    size,
    toJSON: () => ({ ...named, size, sha256 }),
  };
}

function throwRefusalOfUpload(error: unknown): never {
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

function tooManyUploadsOfCaller(most: number): Refusal {
  return new Refusal("RATE_LIMITED", {
    detail: `You may send at most ${most} requests with files at once; nothing was sent to an insurer.`,
    reason: "uploads_per_caller",
    headers: { "retry-after": String(RETRY_AFTER_SECONDS) },
  });
}
