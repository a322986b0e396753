import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createRecordingReader,
  diskFiles,
  type FileWatch,
  watchFiles,
} from "../../src/configuration/files.ts";

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

/** Reads files and starts to watch them. */
function watched(...paths: readonly string[]): FileWatch {
  const files = createRecordingReader();
  for (const path of paths) files.read(path);
  return watchFiles(files.digests);
}

describe("the files of a configuration", () => {
  it("the reader of configured files returns a file's content, or the reason why the file cannot be read", () => {
    const path = write("a", "text");
    mkdirSync(join(folder, "b"));
    const missing = join(folder, "missing");
    for (const files of [diskFiles, createRecordingReader()])
      expect([path, join(folder, "b"), missing].map((one) => files.read(one))).toEqual([
        { text: "text" },
        { fault: "unreadable" },
        { fault: "missing" },
      ]);
  });

  it("the recording reader returns the same content at each read, even if the file has changed since the first read", () => {
    const files = createRecordingReader();
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

describe("the watch of files", () => {
  it("a file watch without files reports no change", async () => {
    expect(await watched().areUnchanged()).toBe(true);
  });

  it("a file watch reports changed content, even at the end of a large file", async () => {
    const large = "x".repeat(200_000);
    const watch = watched(write("small", "a"), write("large", large));
    expect(await watch.areUnchanged()).toBe(true);
    write("large", `${large.slice(1)}y`);
    expect(await watch.areUnchanged()).toBe(false);
    write("large", large);
    expect(await watch.areUnchanged()).toBe(true);
  });

  it("a file watch reports that a file was deleted or created, or became readable or unreadable", async () => {
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

  it("a file watch reports a circular link, and later that the link leads to a file again", async () => {
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

  it("a file watch follows a link to the link's current target", async () => {
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

  it("a file watch neither waits for a named pipe nor reads from the pipe", async () => {
    const path = write("pipe", "secret");
    const watch = watched(path, "/dev/null");
    rmSync(path);
    execFileSync("mkfifo", [path]);
    expect(await watch.areUnchanged()).toBe(true);
  });

  it("a file watch of many files lets other work run between the reads of two files", async () => {
    const path = write("a", "1");
    const files = createRecordingReader();
    files.read(path);
    const digest = files.digests.get(path) ?? "";
    // The watch gets the same file under 250 names.
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
