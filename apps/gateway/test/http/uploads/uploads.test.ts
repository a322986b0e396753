import { createHash, randomBytes } from "node:crypto";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { Refusal } from "@insurance-gateway/core/runtime";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Caller } from "../../../src/callers/caller.ts";
import {
  openUploads,
  type RequestFiles,
  type UploadedFile,
  type UploadReceiver,
} from "../../../src/http/uploads/uploads.ts";

const BLOCK_BYTES = 65_536;

let data: string;
let limits: { uploadBytes: number; uploadsPerCaller: number };
let uploads: UploadReceiver;
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), "uploads-"));
  limits = { uploadBytes: 1_000, uploadsPerCaller: 100 };
  uploads = await openUploads(data, () => limits);
});
afterEach(() => rmSync(data, { recursive: true }));

const caller = (subject: string, issuer = "https://login.example"): Caller => ({
  issuer,
  subject,
  tenant: null,
  scopes: null,
});
const png = { mediaType: "image/png", name: "a.png" };

/** Receives a file in pieces. */
async function receive(
  files: RequestFiles,
  ...pieces: readonly Uint8Array[]
): Promise<UploadedFile> {
  const upload = await files.beginUpload();
  for (const piece of pieces) await upload.write(piece);
  return upload.finish(png);
}

/** Returns the refusal of an operation; undefined for an accepted operation. */
async function refusalOf(work: () => unknown): Promise<unknown> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { code: error.code, ...error.details };
  }
}

const filesLeft = (): readonly string[] =>
  existsSync(join(data, "uploads")) ? readdirSync(join(data, "uploads")) : [];

const tooMuch = {
  code: "OVERLOADED",
  detail: "The gateway is receiving too many files at once; nothing was sent to an insurer.",
  reason: "uploads",
  headers: { "retry-after": "5" },
};

describe("a received file", () => {
  it.each([0, 1, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 2 * BLOCK_BYTES, 200_000])(
    "a received file can be read repeatedly and unchanged from its encrypted file on disk: %i bytes",
    async (size) => {
      const bytes = randomBytes(size);
      const files = uploads.open(caller("one"), 0);
      const file = await receive(files, bytes.subarray(0, 1_000), bytes.subarray(1_000));
      const sha256 = createHash("sha256").update(bytes).digest("base64url");
      expect(JSON.parse(JSON.stringify(file))).toEqual({ ...png, size, sha256 });
      for (let time = 0; time < 2; time += 1)
        expect(bytes.equals(await buffer(file.content))).toBe(true);
      const [name = ""] = filesLeft();
      const onDisk = statSync(join(data, "uploads", name));
      expect([onDisk.size, (onDisk.mode & 0o777).toString(8)]).toEqual([
        size + 16 * Math.ceil(size / BLOCK_BYTES),
        "600",
      ]);
      await files.remove();
      expect(filesLeft()).toEqual([]);
    },
  );

  it("the received files of a request share one file on disk, and each begins with a new encrypted block", async () => {
    const files = uploads.open(caller("one"), 0);
    const contents = [70_000, 5, 0, 140_000].map((size) => randomBytes(size));
    const received: UploadedFile[] = [];
    for (const content of contents) received.push(await receive(files, content));
    for (const [index, file] of received.entries())
      expect((await buffer(file.content)).equals(contents[index] ?? Buffer.of())).toBe(true);
    expect(filesLeft()).toHaveLength(1);
    await files.remove();
  });

  it("the reading of a received file fails if the encrypted file was shortened or changed on disk", async () => {
    const files = uploads.open(caller("one"), 0);
    const file = await receive(files, randomBytes(100));
    const [name = ""] = filesLeft();
    const path = join(data, "uploads", name);
    truncateSync(path, 110);
    await expect(buffer(file.content)).rejects.toThrow();
    truncateSync(path, 5);
    await expect(buffer(file.content)).rejects.toThrow();
    writeFileSync(path, randomBytes(116));
    await expect(buffer(file.content)).rejects.toThrow();
    await files.remove();
  });

  it("the files of a request can be removed repeatedly, and cannot be written after the removal", async () => {
    const files = uploads.open(caller("one"), 0);
    const upload = await files.beginUpload();
    expect((statSync(join(data, "uploads")).mode & 0o777).toString(8)).toBe("700");
    await Promise.all([files.remove(), files.remove()]);
    const removed = new TypeError("The files of the request were removed");
    await expect(upload.write(Buffer.of(1))).rejects.toThrow(removed);
    await expect(files.beginUpload()).rejects.toThrow(removed);
  });
});

it("the gateway releases the unused part of the disk space for an upload if the uploaded files are smaller than this space", async () => {
  const one = uploads.open(caller("one"), 900);
  await receive(one, Buffer.alloc(300));
  expect(await refusalOf(() => uploads.open(caller("other"), 700))).toEqual(tooMuch);
  one.received();
  await uploads.open(caller("other"), 700).remove();
  await one.remove();
  uploads.open(caller("third"), 1_000);
});

describe("a disk that cannot be written", () => {
  it("the gateway refuses uploaded files if it cannot write to its disk, and leaves no file behind", async () => {
    writeFileSync(join(data, "uploads"), "no folder");
    const files = uploads.open(caller("one"), 0);
    expect(await refusalOf(() => files.beginUpload())).toEqual({
      code: "STORE_UNAVAILABLE",
      detail: "The gateway cannot write the files of the request to its disk. Try again later.",
      headers: { "retry-after": "5" },
    });
    await files.remove();
  });
});
