import { createCipheriv, createDecipheriv, createHash, randomBytes, randomUUID } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";

/**
 * A file on disk that only this process can read, because the key exists only in the process's memory. The file has
 * consecutive sections, so that a request with many uploads needs only one open file.
 */
export type EncryptedFile = Awaited<ReturnType<typeof createEncryptedFile>>;

/** Writes one section of an encrypted file. */
export interface SectionWriter {
  /** Appends bytes. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the section; no bytes can be appended afterwards. */
  finish(): Promise<FileSection>;
}

/** A complete section of an encrypted file: the content of one upload. */
export interface FileSection {
  /** Size in bytes. */
  readonly size: number;
  /** The SHA-256 of the section's bytes, in base64url. */
  readonly sha256: string;
  /** Returns the section's decrypted bytes; each call reads from the beginning. */
  readonly read: () => AsyncGenerator<Uint8Array>;
}

/** Size of a block in bytes. Each block is encrypted with a separate nonce and authentication tag. */
const BLOCK_BYTES = 64 * 1024;
const AUTHENTICATION_TAG_BYTES = 16;
const STORED_BLOCK_BYTES = BLOCK_BYTES + AUTHENTICATION_TAG_BYTES;

/**
 * Creates an empty file (mode 0600), encrypted with AES-256-GCM. The key is used for this file only, so that the
 * number of a block can be its nonce (NIST SP 800-38D, section 8.2.1).
 */
export async function createEncryptedFile(folder: string) {
  const path = join(folder, randomUUID());
  const handle = await open(path, "wx+", 0o600);
  const key = randomBytes(32);
  const block = Buffer.alloc(BLOCK_BYTES);
  let blocks = 0;
  let removal: Promise<void> | undefined;

  async function writeBlock(bytes: number): Promise<void> {
    const cipher = createCipheriv("aes-256-gcm", key, nonceOf(blocks));
    const encrypted = cipher.update(block.subarray(0, bytes));
    // In GCM, `update` has already returned all bytes, and `final` only computes the tag.
    cipher.final();
    await writeAll(handle, [encrypted, cipher.getAuthTag()], blocks * STORED_BLOCK_BYTES);
    blocks += 1;
  }

  return {
    /** Begins a section; the previous section must be finished. */
    beginSection(): SectionWriter {
      const digest = createHash("sha256");
      const first = blocks;
      let filled = 0;
      let size = 0;
      return {
        async write(bytes) {
          digest.update(bytes);
          size += bytes.byteLength;
          for (let taken = 0; taken < bytes.byteLength; ) {
            const piece = bytes.subarray(taken, taken + BLOCK_BYTES - filled);
            block.set(piece, filled);
            filled += piece.byteLength;
            taken += piece.byteLength;
            if (filled < BLOCK_BYTES) continue;
            filled = 0;
            await writeBlock(BLOCK_BYTES);
          }
        },
        async finish() {
          if (filled > 0) await writeBlock(filled);
          const sha256 = digest.digest("base64url");
          return { size, sha256, read: () => readSection(handle, key, first, size) };
        },
      };
    },
    /** Removes the file; a second call has no effect. */
    remove(): Promise<void> {
      removal ??= handle.close().then(() => rm(path, { force: true }));
      return removal;
    },
  };
}

/** @param first - the number of the section's first block */
async function* readSection(
  handle: FileHandle,
  key: Uint8Array,
  first: number,
  size: number,
): AsyncGenerator<Uint8Array> {
  // All blocks are read into one buffer, and each block is decrypted into a new buffer.
  const stored = Buffer.alloc(STORED_BLOCK_BYTES);
  for (let from = 0, number = first; from < size; from += BLOCK_BYTES, number += 1) {
    const expected = stored.subarray(
      0,
      Math.min(BLOCK_BYTES, size - from) + AUTHENTICATION_TAG_BYTES,
    );
    const bytes = await fillBuffer(handle, expected, number * STORED_BLOCK_BYTES);
    yield decryptBlock(expected.subarray(0, bytes), key, number);
  }
}

function nonceOf(block: number): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(block, 8);
  return nonce;
}

async function writeAll(
  handle: FileHandle,
  parts: readonly Uint8Array[],
  position: number,
): Promise<void> {
  let at = position;
  for (const part of parts)
    for (let written = 0; written < part.byteLength; ) {
      const { bytesWritten } = await handle.write(part, written, part.byteLength - written, at);
      written += bytesWritten;
      at += bytesWritten;
    }
}

/** Reads until the buffer is full or the file ends; returns the number of bytes. */
async function fillBuffer(handle: FileHandle, into: Buffer, position: number): Promise<number> {
  let length = 0;
  while (length < into.byteLength) {
    const left = into.byteLength - length;
    const { bytesRead } = await handle.read(into, length, left, position + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length;
}

/** Decrypts a block; throws if the bytes were changed. */
function decryptBlock(stored: Buffer, key: Uint8Array, number: number): Buffer {
  const end = Math.max(0, stored.byteLength - AUTHENTICATION_TAG_BYTES);
  const decipher = createDecipheriv("aes-256-gcm", key, nonceOf(number), {
    authTagLength: AUTHENTICATION_TAG_BYTES,
  });
  decipher.setAuthTag(stored.subarray(end));
  const bytes = decipher.update(stored.subarray(0, end));
  decipher.final();
  return bytes;
}
