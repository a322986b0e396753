import { execFileSync } from "node:child_process";
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { noteFiles, watchFiles } from "../../src/configuration/files.ts";

describe("files that are watched some at a time", () => {
  let folder: string;
  const path = (name: string): string => join(folder, name);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "watched-files-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Writes five files, the last of more than one piece, and reads them and one that is missing. */
  function readSix(): ReturnType<typeof watchFiles> {
    const files = noteFiles();
    for (const name of ["a", "b", "c", "d"]) writeFileSync(path(name), `secret ${name}`);
    writeFileSync(path("e"), "é".repeat(100_000));
    for (const name of ["a", "b", "c", "d", "e", "missing"]) files.read(path(name));
    return watchFiles(files.digests);
  }

  it("are unchanged in every round", async () => {
    const watch = readSix();
    for (let look = 0; look < 6; look += 1) expect(await watch.areUnchanged(4)).toBe(true);
    expect(await watch.areUnchanged()).toBe(true);
  });

  it.each([
    ["is written again", () => writeFileSync(path("e"), "é".repeat(99_999))],
    [
      "is renamed over",
      () => {
        writeFileSync(path("new"), "secret 2");
        renameSync(path("new"), path("e"));
      },
    ],
    [
      "is a link that leads elsewhere",
      () => {
        rmSync(path("e"));
        symlinkSync(path("a"), path("e"));
      },
    ],
    ["is gone", () => rmSync(path("e"))],
    ["is there at last", () => writeFileSync(path("missing"), "secret")],
  ])("show within one round that one %s", async (_how, change) => {
    const watch = readSix();
    change();
    const looks = [
      await watch.areUnchanged(2),
      await watch.areUnchanged(2),
      await watch.areUnchanged(2),
    ];
    expect(looks).toEqual([true, true, false]);
  });

  it("do not hold up the process where one is a named pipe, which gives its content once", async () => {
    execFileSync("mkfifo", [path("pipe")]);
    const watch = watchFiles(new Map([[path("pipe"), "the digest of what it gave"]]));
    expect(await watch.areUnchanged()).toBe(true);
  });

  it("are all looked at where no number is given, and none where there are none", async () => {
    const watch = readSix();
    await watch.areUnchanged(1);
    writeFileSync(path("a"), "other");
    expect(await watch.areUnchanged()).toBe(false);
    expect(await watchFiles(new Map()).areUnchanged(3)).toBe(true);
  });
});
