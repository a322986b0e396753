import { createCipheriv, createDecipheriv, createHash, randomBytes, randomUUID } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";

/** A file on disk that only this process can read, because the key exists in its memory alone. */
export interface EncryptedFile {
  /** Appends bytes. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the writing. */
  finish(): Promise<FileFacts>;
  /** Reads the file from its beginning, each time it is called. */
  read(): AsyncGenerator<Uint8Array>;
  /** Removes it; a second time does nothing. */
  remove(): Promise<void>;
}

/** What is known of a file when it is complete. */
export interface FileFacts {
  /** In bytes. */
  readonly size: number;
  /** The SHA-256 of its bytes, in base64url. */
  readonly sha256: string;
}

/** So many bytes are encrypted together, each block with a nonce and an authentication tag of its own. */
const BLOCK_BYTES = 64 * 1024;
const TAG_BYTES = 16;
const STORED_BLOCK_BYTES = BLOCK_BYTES + TAG_BYTES;

/**
 * Makes an empty file (mode 0600), encrypted with AES-256-GCM. The key is for this file alone, so that the number of a
 * block can be its nonce (NIST SP 800-38D, section 8.2.1).
 */
export async function createEncryptedFile(folder: string): Promise<EncryptedFile> {
  const path = join(folder, randomUUID());
  const handle = await open(path, "wx+", 0o600);
  const key = randomBytes(32);
  const digest = createHash("sha256");
  const block = Buffer.alloc(BLOCK_BYTES);
  let filled = 0;
  let blocks = 0;
  let size = 0;
  let removal: Promise<void> | undefined;

  async function writeBlock(): Promise<void> {
    const cipher = createCipheriv("aes-256-gcm", key, nonceOf(blocks));
    const encrypted = cipher.update(block.subarray(0, filled));
    // GCM holds nothing back: all bytes are in the first part, and the tag follows.
    cipher.final();
    await writeAll(handle, [encrypted, cipher.getAuthTag()], blocks * STORED_BLOCK_BYTES);
    blocks += 1;
    filled = 0;
  }

  return {
    async write(bytes) {
      digest.update(bytes);
      size += bytes.byteLength;
      for (let taken = 0; taken < bytes.byteLength; ) {
        const piece = bytes.subarray(taken, taken + BLOCK_BYTES - filled);
        block.set(piece, filled);
        filled += piece.byteLength;
        taken += piece.byteLength;
        if (filled === BLOCK_BYTES) await writeBlock();
      }
    },
    async finish() {
      if (filled > 0) await writeBlock();
      return { size, sha256: digest.digest("base64url") };
    },
    async *read() {
      // Every block is read into the same memory, and decrypted into memory of its own.
      const stored = Buffer.alloc(STORED_BLOCK_BYTES);
      for (let number = 0; number < blocks; number += 1) {
        const bytes = await readAll(handle, stored, number * STORED_BLOCK_BYTES);
        yield decryptBlock(stored.subarray(0, bytes), key, number);
      }
    },
    remove() {
      removal ??= handle.close().then(() => rm(path, { force: true }));
      return removal;
    },
  };
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

/** Reads until the memory is full or the file ends; returns how many bytes there are. */
async function readAll(handle: FileHandle, into: Buffer, position: number): Promise<number> {
  let length = 0;
  while (length < into.byteLength) {
    const left = into.byteLength - length;
    const { bytesRead } = await handle.read(into, length, left, position + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length;
}

/** Throws where the bytes are not those that were written. */
function decryptBlock(stored: Buffer, key: Uint8Array, number: number): Buffer {
  const end = Math.max(0, stored.byteLength - TAG_BYTES);
  const decipher = createDecipheriv("aes-256-gcm", key, nonceOf(number), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(stored.subarray(end));
  const bytes = decipher.update(stored.subarray(0, end));
  decipher.final();
  return bytes;
}
