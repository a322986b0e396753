import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { openAlone } from "../../src/store/alone.ts";
import { openStore } from "../../src/store/open-store.ts";
import { createEncryption, openStoreSecret } from "../../src/submissions/encryption.ts";
import { exportStore, importStore } from "../../src/submissions/export-import.ts";
import { makeStoreFolder } from "../harness/store-places.ts";
import { openFilesBelow } from "../harness/transfer-between.ts";

type Written = ReturnType<FileHandle["write"]>;

/** What every file of `node:fs/promises` is made of. */
async function handlesOfFiles(): Promise<FileHandle> {
  const any = await open(import.meta.filename);
  const handles: FileHandle = Object.getPrototypeOf(any);
  await any.close();
  return handles;
}

/** Has every write of a file go through a function, until the test ends. */
async function replaceWrites(through: (write: () => Written) => Written): Promise<void> {
  const handles = await handlesOfFiles();
  const own: unknown = Reflect.get(handles, "write");
  if (typeof own !== "function") throw new TypeError("A file has no write");
  vi.spyOn(handles, "write").mockImplementation(function (
    this: FileHandle,
    ...parameters: unknown[]
  ) {
    return through(() => Reflect.apply(own, this, parameters));
  });
  onTestFinished(() => void vi.restoreAllMocks());
}

/** Notes what is put on the disk for good (fsync), and how many writes are under way then. */
async function watchSyncs(noted: (what: string) => void): Promise<void> {
  const handles = await handlesOfFiles();
  const own: unknown = Reflect.get(handles, "sync");
  if (typeof own !== "function") throw new TypeError("A file has no sync");
  let writing = 0;
  await replaceWrites(async (write) => {
    writing += 1;
    const written = await write();
    writing -= 1;
    return written;
  });
  vi.spyOn(handles, "sync").mockImplementation(async function (this: FileHandle) {
    const underWay = writing;
    noted(`${underWay} writes, ${(await this.stat()).isDirectory() ? "folder" : "file"}`);
    await Reflect.apply(own, this, []);
  });
}

/** What exports the store of a new folder, which has no submission, to a file of that folder. */
async function startExport() {
  const folder = makeStoreFolder();
  onTestFinished(() => folder.remove());
  const encryption = createEncryption([{ id: "current", secret: randomBytes(32) }]);
  const place = { data: join(folder.file, ".."), databaseUrl: undefined };
  const store = await openStore(place, "serve");
  await openStoreSecret(store, encryption, "the test");
  await store.close();
  const alone = await openAlone(place, "export");
  onTestFinished(() => alone.close());
  const path = join(place.data, "export");
  const notes: string[] = [];
  const note = (text: string): void => void notes.push(text);
  const parts = { path, source: "the test", progress: () => {}, note };
  return {
    path,
    place,
    encryption,
    notes,
    run: () => exportStore({ ...parts, store: alone, encryption }),
  };
}

it("an export has its name only when its content is on disk, and ends only when its name is, too, with no file open", async () => {
  const { path, run } = await startExport();
  const steps: string[] = [];
  await watchSyncs((what) => steps.push(`${what}, ${existsSync(path) ? "named" : "not named"}`));
  await run();
  const left = openFilesBelow(dirname(path));
  expect(steps).toEqual(["0 writes, file, not named", "0 writes, folder, named"]);
  expect(left.filter((one) => one.startsWith(path) || one === dirname(path))).toEqual([]);
});

/** Has each step of a file, and of a folder, take a while; notes them in order, and those that begin beside another. */
async function slowSteps(): Promise<{
  readonly noted: readonly string[];
  readonly underWay: () => number;
}> {
  const noted: string[] = [];
  let underWay = 0;
  const slowed = async (step: string, work: () => Promise<unknown>): Promise<unknown> => {
    noted.push(underWay === 0 ? step : `${step} beside another step`);
    underWay += 1;
    for (let turn = 0; turn < 3; turn++) await setImmediate();
    const result = await work();
    underWay -= 1;
    return result;
  };
  const closing = new Set<FileHandle>();
  const handles = await handlesOfFiles();
  for (const step of ["chmod", "read", "sync", "truncate", "write"] as const) {
    const own: unknown = Reflect.get(handles, step);
    if (typeof own !== "function") throw new TypeError(`A file has no ${step}`);
    vi.spyOn(handles, step).mockImplementation(function (this: FileHandle, ...given: unknown[]) {
      // Each file has a function of its own that closes it.
      if (!closing.has(this)) {
        closing.add(this);
        const close = this.close.bind(this);
        vi.spyOn(this, "close").mockImplementation(async () => void (await slowed("close", close)));
      }
      return slowed(step, () => Reflect.apply(own, this, given)) as Promise<never>; // as its own gives it
    });
  }
  onTestFinished(() => void vi.restoreAllMocks());
  return { noted, underWay: () => underWay };
}

it("each step of an export's file and folder ends before the next one begins, and the last before the export", async () => {
  const { run } = await startExport();
  const { noted, underWay } = await slowSteps();
  await run();
  const file = ["chmod", "write", "truncate", "write", "sync", "close"];
  expect([noted, underWay()]).toEqual([[...file, "sync", "close"], 0]);
});

it("an export that goes on has closed the file that it read before it writes to it", async () => {
  const { path, run } = await startExport();
  await run();
  renameSync(path, `${path}.partial`);
  const { noted, underWay } = await slowSteps();
  await run();
  expect([noted.filter((step) => step.includes("beside")), underWay()]).toEqual([[], 0]);
});

it.each(["a whole one", "another file"])(
  "an import of %s ends with everything closed",
  async (kind) => {
    const { encryption, path, place, run } = await startExport();
    if (kind === "a whole one") await run();
    else writeFileSync(path, "no export");
    const { noted, underWay } = await slowSteps();
    let isClosed = false;
    const imported = importStore(
      { path, encryption, source: "the test", progress: () => {}, note: () => {} },
      async () => {
        const store = await openAlone({ ...place, data: join(place.data, "elsewhere") }, "import");
        return {
          ...store,
          async close() {
            const before = noted.length;
            for (let turn = 0; turn < 3; turn++) await setImmediate();
            await store.close();
            isClosed = noted.length === before;
          },
        };
      },
    );
    expect(
      await imported.then(
        () => "a whole one",
        () => "another file",
      ),
    ).toBe(kind);
    expect([isClosed, underWay(), noted.at(-1)]).toEqual([kind === "a whole one", 0, "close"]);
  },
);

it("an export whose file was changed meanwhile begins again", async () => {
  const { notes, path, run } = await startExport();
  await run();
  renameSync(path, `${path}.partial`);
  const bytes = readFileSync(`${path}.partial`);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  writeFileSync(`${path}.partial`, bytes);
  await run();
  expect(notes.join()).toContain("a new export begins");
});

it("an export that begins again is a new file: what has the old one open reads nothing of it", async () => {
  const { path, run } = await startExport();
  writeFileSync(`${path}.partial`, "no export", { mode: 0o644 });
  const old = openSync(`${path}.partial`, "r");
  onTestFinished(() => closeSync(old));
  await run();
  expect([readFileSync(old, "utf8"), existsSync(path)]).toEqual(["no export", true]);
});

it("an export that cannot get its name fails", async () => {
  const { path, run } = await startExport();
  // Somebody else takes the name during the export.
  await replaceWrites((write) => {
    mkdirSync(path, { recursive: true });
    return write();
  });
  await expect(run()).rejects.toMatchObject({ syscall: "rename" });
});

it.each([
  ["first", 1],
  ["last", 2],
])("an export whose %s write fails ends with that, without a file of its name", async (_, nth) => {
  const { path, run } = await startExport();
  let writes = 0;
  await replaceWrites((write) => {
    writes += 1;
    return writes === nth ? Promise.reject(new Error("The disk is full")) : write();
  });
  await expect(run()).rejects.toThrow("The disk is full");
  expect(existsSync(path)).toBe(false);
  vi.restoreAllMocks();
  await run();
  expect(existsSync(path), "the next one").toBe(true);
});
