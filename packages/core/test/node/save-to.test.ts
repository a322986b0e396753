import { randomBytes } from "node:crypto";
import {
  chmod,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import type { Download } from "../../src/index.ts";
import { saveTo } from "../../src/node/index.ts";
import { connect } from "../harness/connect.ts";
import { downloadTerms } from "../harness/declarations.ts";
import { endlessBody } from "../harness/endless-body.ts";
import { failureOf } from "../harness/failure.ts";
import { brokenMidway, raw } from "../harness/replies.ts";
import { type Reply, scriptedServer } from "../harness/scripted-server.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const pdf = "application/pdf";
const small = raw("%PDF-", pdf);

/** Starts a download of the file `terms.pdf`. */
async function download(reply: Reply): Promise<Download> {
  const server = await scriptedServer(reply);
  return connect(server.address).call(downloadTerms, { query: { policyId: "M-1" } });
}

/** Returns an empty folder, and the path of the file `terms.pdf` in this folder. */
async function target(): Promise<{ readonly folder: string; readonly path: string }> {
  const folder = await temporaryFolder();
  return { folder, path: join(folder, "terms.pdf") };
}

/** Returns a download of which half has arrived, and the functions that end the transfer. */
async function halfOfDownload(): Promise<{
  readonly terms: Download;
  readonly finish: () => void;
  readonly breakOff: () => void;
}> {
  const half = Promise.withResolvers<Parameters<Reply>[0]>();
  const terms = await download((response) => {
    response.writeHead(200, { "content-type": pdf, "content-length": 8 });
    response.write("%PDF", () => half.resolve(response));
  });
  const response = await half.promise;
  return {
    terms,
    finish: () => void response.end("-1.7"),
    breakOff: () => void response.destroy(),
  };
}

it("`saveTo` writes a file with the exact bytes and leaves no other file in the folder", async () => {
  const { folder, path } = await target();
  const content = Buffer.concat([Buffer.from("%PDF-"), randomBytes(3 * 1024 * 1024 + 1)]);
  await saveTo(await download(raw(content, pdf)), path);
  expect(await readdir(folder)).toEqual(["terms.pdf"]);
  expect(content.equals(await readFile(path))).toBe(true);
});

it("`saveTo` replaces an existing file", async () => {
  const { path } = await target();
  await writeFile(path, "an older and longer document");
  await saveTo(await download(small), path);
  expect(await readFile(path, "utf8")).toBe("%PDF-");
});

it("`saveTo` leaves no file if the transfer breaks off midway", async () => {
  const { folder, path } = await target();
  const failure = await failureOf(saveTo(await download(brokenMidway(pdf)), path));
  expect(failure).toMatchObject({ name: "ConnectionError" });
  expect(await readdir(folder)).toEqual([]);
});

it("`saveTo` leaves an existing file unchanged if the transfer breaks off midway", async () => {
  const { folder, path } = await target();
  await writeFile(path, "the document before");
  await failureOf(saveTo(await download(brokenMidway(pdf)), path));
  expect(await readdir(folder)).toEqual(["terms.pdf"]);
  expect(await readFile(path, "utf8")).toBe("the document before");
});

it("`saveTo` creates the file under its final name only when the download is complete", async () => {
  const { folder, path } = await target();
  const { finish, terms } = await halfOfDownload();
  const saved = saveTo(terms, path);
  await expect.poll(() => readdir(folder)).toHaveLength(1);
  expect(await readdir(folder)).not.toContain("terms.pdf");
  finish();
  await saved;
  expect(await readdir(folder)).toEqual(["terms.pdf"]);
});

it("`saveTo` reports the failed transfer even if the unfinished file was deleted meanwhile", async () => {
  const { folder, path } = await target();
  const { breakOff, terms } = await halfOfDownload();
  const failure = failureOf(saveTo(terms, path));
  await expect.poll(() => readdir(folder)).toHaveLength(1);
  for (const name of await readdir(folder)) await rm(join(folder, name));
  breakOff();
  expect(await failure).toMatchObject({ name: "ConnectionError" });
});

it("`saveTo` keeps the mode of an existing file that the download replaces", async () => {
  const { path } = await target();
  await writeFile(path, "");
  for (const mode of [0o600, 0o666]) {
    await chmod(path, mode);
    await saveTo(await download(small), path);
    expect((await stat(path)).mode & 0o777).toBe(mode);
  }
});

it("`saveTo` leaves no unfinished file if it cannot set the mode of the replaced file", async () => {
  const { folder, path } = await target();
  const file = await open(path, "w");
  const failed = new Error("the file system has no modes");
  const written: FileHandle[] = [];
  // All file systems of the tests have modes, so the failure is simulated.
  const handles: FileHandle = Object.getPrototypeOf(file);
  const change = vi.spyOn(handles, "chmod");
  onTestFinished(() => change.mockRestore());
  change.mockImplementation(function (this: FileHandle) {
    written.push(this);
    return Promise.reject(failed);
  });
  await file.close();
  expect(await failureOf(saveTo(await download(small), path))).toBe(failed);
  expect(written.map(({ fd }) => fd)).toEqual([-1]);
  expect(await readdir(folder)).toEqual(["terms.pdf"]);
});

it("`saveTo` writes to the target of a symbolic link and keeps the link", async () => {
  const folder = await temporaryFolder();
  const link = join(folder, "link.pdf");
  await mkdir(join(folder, "real"));
  await writeFile(join(folder, "real", "terms.pdf"), "");
  await symlink(join("real", "terms.pdf"), link);
  await saveTo(await download(small), link);
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
  expect(await readFile(join(folder, "real", "terms.pdf"), "utf8")).toBe("%PDF-");
  expect(await readdir(join(folder, "real"))).toEqual(["terms.pdf"]);
});

it("`saveTo` fails and keeps the link if the target of a symbolic link does not exist", async () => {
  const folder = await temporaryFolder();
  const link = join(folder, "link.pdf");
  await symlink("missing.pdf", link);
  const failure = await failureOf(saveTo(await download(small), link));
  expect(failure).toMatchObject({ code: "ENOENT" });
  expect(await readdir(folder)).toEqual(["link.pdf"]);
});

it("`saveTo` fails if the folder is missing, creates no folder and closes the download's connection", async () => {
  const folder = await temporaryFolder();
  const body = endlessBody(30 * 1024 * 1024, pdf);
  const saved = saveTo(await download(body.reply), join(folder, "missing", "terms.pdf"));
  expect(await failureOf(saved)).toMatchObject({ code: "ENOENT" });
  expect(await readdir(folder)).toEqual([]);
  await body.closed;
});

it("`saveTo` fails and leaves no unfinished file if its path is a folder", async () => {
  const { folder, path } = await target();
  await mkdir(path);
  expect(await failureOf(saveTo(await download(small), path))).toBeInstanceOf(Error);
  expect(await readdir(folder)).toEqual(["terms.pdf"]);
});
