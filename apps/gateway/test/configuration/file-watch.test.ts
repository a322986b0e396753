import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { diskFiles, type FileWatch, noteFiles, watchFiles } from "../../src/configuration/files.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "files-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Reads files, and watches what was read. */
function watched(...paths: readonly string[]): FileWatch {
  const files = noteFiles();
  for (const path of paths) files.read(path);
  return watchFiles(files.digests);
}

describe("the files of a configuration", () => {
  it("are read as they are, or with the reason why not", () => {
    const path = write("a", "text");
    mkdirSync(join(folder, "b"));
    const missing = join(folder, "missing");
    for (const files of [diskFiles, noteFiles()])
      expect([path, join(folder, "b"), missing].map((one) => files.read(one))).toEqual([
        { text: "text" },
        { fault: "unreadable" },
        { fault: "missing" },
      ]);
  });

  it("noted files of a configuration give the same text twice", () => {
    const files = noteFiles();
    const path = write("a", "before");
    files.read(path);
    write("a", "after");
    expect([files.read(path), diskFiles.read(path)]).toEqual([
      { text: "before" },
      { text: "after" },
    ]);
    expect([...files.digests.keys()]).toEqual([path]);
  });
});

describe("a watch", () => {
  it("a watch without files sees no change", async () => {
    expect(await watched().areUnchanged()).toBe(true);
  });

  it("sees other content, also at the end of a large file", async () => {
    const large = "x".repeat(200_000);
    const watch = watched(write("small", "a"), write("large", large));
    expect(await watch.areUnchanged()).toBe(true);
    write("large", `${large.slice(1)}y`);
    expect(await watch.areUnchanged()).toBe(false);
    write("large", large);
    expect(await watch.areUnchanged()).toBe(true);
  });

  it("sees that a file is gone or there, and that it can be read or not", async () => {
    const paths = ["a", "b"].map((name) => join(folder, name));
    const missing = watched(...paths);
    expect(await missing.areUnchanged()).toBe(true);
    mkdirSync(join(folder, "b"));
    expect(await missing.areUnchanged()).toBe(false);
    const there = watched(write("a", ""), join(folder, "b"));
    expect(await there.areUnchanged()).toBe(true);
    rmSync(join(folder, "a"));
    expect(await there.areUnchanged()).toBe(false);
  });

  it("sees that a link leads round in a circle, and that it leads to a file again", async () => {
    const path = write("a", "text");
    const before = watched(path);
    rmSync(path);
    symlinkSync("a", path);
    expect(await before.areUnchanged()).toBe(false);
    const circle = watched(path, join(path, "b"));
    expect(await circle.areUnchanged()).toBe(true);
    rmSync(path);
    write("a", "text");
    expect([await before.areUnchanged(), await circle.areUnchanged()]).toEqual([true, false]);
  });

  it("a watch follows a link to its current target", async () => {
    write("one", "1");
    write("two", "2");
    const link = join(folder, "link");
    symlinkSync("one", link);
    const watch = watched(link);
    expect(await watch.areUnchanged()).toBe(true);
    rmSync(link);
    symlinkSync("two", link);
    expect(await watch.areUnchanged()).toBe(false);
  });

  it("waits for no pipe, and takes no content out of it", async () => {
    const path = write("pipe", "secret");
    const watch = watched(path, "/dev/null");
    rmSync(path);
    execFileSync("mkfifo", [path]);
    expect(await watch.areUnchanged()).toBe(true);
  });

  it("does not hold up other work until it has read many files", async () => {
    const path = write("a", "1");
    const files = noteFiles();
    files.read(path);
    const digest = files.digests.get(path) ?? "";
    // The same file under 250 names.
    const names = Array.from({ length: 250 }, (_, index) => `${folder}/${"./".repeat(index)}a`);
    const watch = watchFiles(new Map(names.map((name) => [name, digest])));
    let isDone = false;
    setImmediate(() => {
      isDone = true;
    });
    expect(await watch.areUnchanged()).toBe(true);
    expect(isDone).toBe(true);
  });
});
