import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigurationError } from "../../src/configuration/configuration-error.ts";
import { StoreRefusedError } from "../../src/store/store.ts";
import { createEncryption, type Encryption } from "../../src/submissions/encryption.ts";
import {
  type Chunk,
  ExportFileError,
  type ExportHeader,
  encryptChunk,
  headerLine,
  newHeader,
  openExport,
} from "../../src/submissions/export-file.ts";
import { importStore } from "../../src/submissions/export-import.ts";
import { encryption, keyNamed, openFilesBelow } from "../harness/transfer-between.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "export-"));
  path = join(folder, "file");
});
afterEach(() => {
  const left = openFilesBelow(folder);
  rmSync(folder, { recursive: true });
  expect(left, "files that are still open").toEqual([]);
});

const contents: readonly unknown[] = [{ summary: {} }, { rows: [1] }, { rows: [2] }, { rows: 2 }];
const header: ExportHeader = newHeader(encryption);

/** The chunks of a file, the last of which says so. */
function chunksOf(of: ExportHeader, by = encryption): readonly Buffer[] {
  return contents.map((content, index) =>
    Buffer.from(encryptChunk(by, of, { content, index, isLast: index === contents.length - 1 })),
  );
}

function fileOf(line: string, chunks: readonly Uint8Array[]): Buffer {
  return Buffer.concat([Buffer.from(line), ...chunks]);
}

/** Writes a file, and reads it to its end or its first fault. */
async function read(bytes: Uint8Array, by = encryption): Promise<readonly Chunk[]> {
  writeFileSync(path, bytes);
  const file = await openExport(path, by, "the test");
  const chunks: Chunk[] = [];
  try {
    for await (const chunk of file.chunks()) chunks.push(chunk);
  } finally {
    await file.close();
  }
  return chunks;
}

async function faultOf(bytes: Uint8Array, by = encryption): Promise<unknown> {
  return read(bytes, by).then(
    () => null,
    (error: unknown) => error,
  );
}

describe("a file that an export wrote", () => {
  it("is read with its contents, where each chunk ends, and which one is the last", async () => {
    const chunks = chunksOf(header);
    let end = headerLine(header).length;
    const expected = contents.map((content, index) => {
      end += chunks[index]?.length ?? 0;
      return { content, end, isLast: index === 3 };
    });
    expect(await read(fileOf(headerLine(header), chunks))).toEqual(expected);
  });

  it("is read also with another key before its own", async () => {
    const next = createEncryption([keyNamed("next"), keyNamed("current")]);
    expect(await read(fileOf(headerLine(header), chunksOf(header)), next)).toHaveLength(4);
  });

  it("is read with a key whose name is as long as one can be", async () => {
    const long = createEncryption([keyNamed("k".repeat(64))]);
    const own = newHeader(long);
    expect(await read(fileOf(headerLine(own), chunksOf(own, long)), long)).toHaveLength(4);
  });

  it("has a header of its own, with the version of the store", () => {
    const another = newHeader(encryption);
    expect({ ...another, id: "" }).toEqual({
      format: "insurance-gateway-submissions",
      formatVersion: 1,
      storeVersion: 1,
      keyId: "current",
      id: "",
    });
    expect(another.id).not.toBe(header.id);
  });

  it("shows nothing of its content", () => {
    const secret = { content: "123456789", index: 0, isLast: true };
    expect(Buffer.from(encryptChunk(encryption, header, secret)).includes("123456789")).toBe(false);
  });
});

describe("a file whose header", () => {
  it.each<[string, string]>([
    ["is missing", ""],
    ["has no end", JSON.stringify(header)],
    ["is no JSON", "{\n"],
    ["is null", "null\n"],
    ["is of something else", headerLine({ ...header, format: "x" as typeof header.format })],
    ["names no key", `${JSON.stringify({ ...header, keyId: 1 })}\n`],
  ])("%s is refused", async (_, line) => {
    const fault = await faultOf(fileOf(line, []));
    expect(fault).toBeInstanceOf(ExportFileError);
    expect(fault).toMatchObject({
      message: `${path} is no export of submissions.`,
      truncated: false,
    });
  });

  it.each<[string, object, string]>([
    ["is of another format", { formatVersion: 2 }, "1"],
    ["is of an older store", { storeVersion: 0 }, "0"],
    ["is of a newer store", { storeVersion: 2 }, "2"],
    ["has no id", { id: null }, "1"],
  ])("%s is refused, with what to do", async (_, more, version) => {
    const line = `${JSON.stringify({ ...header, ...more })}\n`;
    expect(await faultOf(fileOf(line, chunksOf(header)))).toEqual(
      new StoreRefusedError(
        `${path} has store version ${version}, and this gateway has 1: import it with the version of the gateway that exported it, then start the newer one on that store.`,
      ),
    );
  });

  it("names a key that is not configured is refused, with the key's name", async () => {
    const other = createEncryption([keyNamed("other")]);
    const fault = await faultOf(fileOf(headerLine(header), chunksOf(header)), other);
    expect(fault).toBeInstanceOf(ConfigurationError);
    expect(fault).toMatchObject({
      faults: [`submissions.keys: ${path} was encrypted with the key "current"; add that key`],
    });
  });
});

/** Files in which something is not as the export wrote it, with the part that is noticed; null is the end. */
const faults: Readonly<Record<string, () => readonly [bytes: Uint8Array, part: number | null]>> = {
  "has no chunk": () => [fileOf(headerLine(header), []), null],
  "lacks its last byte": () => [whole().subarray(0, -1), null],
  "lacks its last chunk": () => [fileOf(headerLine(header), chunksOf(header).slice(0, -1)), null],
  "ends in a frame": () => [fileOf(headerLine(header), [...firstChunks(2), Buffer.alloc(4)]), null],
  "ends after a frame": () => [
    fileOf(headerLine(header), [...firstChunks(2), Buffer.of(0, 0, 0, 0, 30)]),
    null,
  ],
  "has a byte after its end": () => [Buffer.concat([whole(), Buffer.of(0)]), 4],
  "has a chunk that is too short": () => [
    fileOf(headerLine(header), [...firstChunks(2), Buffer.of(0, 0, 0, 0, 27), Buffer.alloc(40)]),
    2,
  ],
  "has two chunks the other way round": () => {
    const [first, second, third, last] = chunksOf(header);
    return [fileOf(headerLine(header), defined(first, third, second, last)), 1];
  },
  "lacks a chunk in the middle": () => {
    const [first, , third, last] = chunksOf(header);
    return [fileOf(headerLine(header), defined(first, third, last)), 1];
  },
  "has a chunk twice": () => {
    const [first, second, , last] = chunksOf(header);
    return [fileOf(headerLine(header), defined(first, second, second, last)), 2];
  },
  "has a chunk of another export": () => {
    const [first, , third, last] = chunksOf(header);
    const [, other] = chunksOf(newHeader(encryption));
    return [fileOf(headerLine(header), defined(first, other, third, last)), 1];
  },
  "has another id": () => [fileOf(headerLine({ ...header, id: "x" }), chunksOf(header)), 0],
  "ends with a chunk that was not the last": () => {
    const [first, second, third] = chunksOf(header).map((chunk) => Buffer.from(chunk));
    third?.writeUInt8(1, 0);
    return [fileOf(headerLine(header), defined(first, second, third)), 2];
  },
  "goes on after its last chunk": () => {
    const [first, second, third, last] = chunksOf(header).map((chunk) => Buffer.from(chunk));
    last?.writeUInt8(0, 0);
    return [fileOf(headerLine(header), defined(first, second, third, last)), 3];
  },
  "has a changed byte": () => {
    const bytes = Buffer.from(whole());
    const at = bytes.length - 1;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return [bytes, 3];
  },
};

function whole(): Buffer {
  return fileOf(headerLine(header), chunksOf(header));
}

function firstChunks(count: number): readonly Buffer[] {
  return chunksOf(header).slice(0, count);
}

function defined(...chunks: readonly (Buffer | undefined)[]): readonly Buffer[] {
  return chunks.filter((chunk) => chunk !== undefined);
}

describe("a file that", () => {
  it.each(Object.keys(faults))("%s is refused with the part that is wrong", async (name) => {
    const [bytes, part] = faults[name]?.() ?? [Buffer.alloc(0), null];
    const fault = await faultOf(bytes);
    expect(fault).toBeInstanceOf(ExportFileError);
    const message =
      part === null
        ? `${path} is truncated: its end is missing.`
        : part === 0
          ? `${path} cannot be decrypted: the key of submissions.keys with its id is another one, or the file was changed.`
          : `${path} was changed: part ${part} is not what the export wrote there.`;
    expect(fault).toMatchObject({ message, truncated: part === null });
  });

  it("has a chunk longer than any answer is refused before that chunk is in memory", async () => {
    const frame = Buffer.alloc(5);
    frame.writeUInt32BE(1_000_000_001, 1);
    writeFileSync(path, fileOf(headerLine(header), [frame]));
    // Its end is there: a hole in the file, which takes no room on the disk.
    truncateSync(path, headerLine(header).length + frame.length + 1_000_000_001);
    let decrypted = 0;
    const watched: Encryption = {
      ...encryption,
      decrypt(...parameters) {
        decrypted += 1;
        return encryption.decrypt(...parameters);
      },
    };
    const file = await openExport(path, watched, "the test");
    await expect(file.chunks().next()).rejects.toMatchObject({ truncated: false });
    await file.close();
    expect(decrypted).toBe(0);
  });

  it("was encrypted with a key of the same id and another secret is refused at its beginning", async () => {
    const other = createEncryption([{ ...keyNamed("x"), id: "current" }]);
    expect(await faultOf(whole(), other)).toMatchObject({
      message: expect.stringContaining("cannot be decrypted: the key of submissions.keys"),
      truncated: false,
    });
  });

  it.each([
    ["fewer", 4, 0],
    ["more", 1, 1],
  ])("has %s rows than it says is not imported", async (_, submissions, resolutions) => {
    const others = { connections: 0, counts: 0 };
    const summary = { submissions, resolutions, ...others, marks: [], keyIds: [] };
    const page = { table: "gateway_submissions", upTo: 3, rows: [["a"], ["b"], ["c"]] };
    const parts = [{ summary, secrets: {} }, page, { rows: 3 }];
    const chunks = parts.map((content, index) =>
      encryptChunk(encryption, header, { content, index, isLast: index === 2 }),
    );
    writeFileSync(path, fileOf(headerLine(header), chunks));
    const importing = importStore(
      { path, encryption, source: "the test", progress: () => {}, note: () => {} },
      () => expect.fail("The store was opened"),
    );
    await expect(importing).rejects.toThrow(
      new ExportFileError(
        `${path} has 3 rows, but its header says ${submissions + resolutions}: export again.`,
      ),
    );
  });
});
