import { randomUUID } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";
import { keep, sampleSubmission } from "../harness/store-samples.ts";
import { type RunInProcess, runsInProcess } from "./in-process.ts";
import { makeStoreFolder, type StoreFolder } from "./store-folder.ts";

let place: StoreFolder;
beforeEach(async () => {
  place = await makeStoreFolder();
  return () => place.remove();
});

async function add(): Promise<string> {
  const id = randomUUID();
  const { keyId } = place.encryption;
  const submission = sampleSubmission({ id, segment: "provider-d", keyId });
  await keep(place.store, "needs_review", submission);
  return id;
}

const clear = "\r\u001b[2K";
const run = (...parameters: readonly string[]): ReturnType<RunInProcess> =>
  place.run(["submissions", ...parameters]);
const settle = (id: string): ReturnType<RunInProcess> =>
  run("settle", id, "--as", "failed", "--by", "M. Rossi", "--why", "seen in the portal");

/** Runs commands in another folder, with the key of the first one. */
async function elsewhere(work: (run: RunInProcess) => Promise<void>): Promise<void> {
  const providers = [insurerConfiguration("d", "http://127.0.0.1:1")];
  const folder = makeGatewayFolder({ providers });
  const key = join("data", "submissions.key");
  mkdirSync(join(folder.path, "data"));
  copyFileSync(join(place.folder.path, key), join(folder.path, key));
  await work(runsInProcess({ folder: folder.path, address: "" }));
  folder.remove();
}

describe("submissions export and import", () => {
  it.each([
    [1, 0, "1 submission and 0 resolutions"],
    [2, 1, "2 submissions and 1 resolution"],
  ])("print what they moved: %i and %i", async (submissions, resolutions, amount) => {
    const ids: string[] = [];
    while (ids.length < submissions) ids.push(await add());
    for (const id of ids.slice(0, resolutions)) await settle(id);
    const listed = await run("list", "--json", "--state", "needs_review", "failed");
    await place.stopServing();
    const rows = submissions + resolutions;
    const reported: string[] = [];
    // Each line of the progress takes half a second.
    const held = vi
      .spyOn(performance, "now")
      .mockImplementation(() => 1_000 + reported.length * 500);
    const exported = await place
      .run(["submissions", "export", "all.export"], {
        terminal: true,
        reported: (text) => reported.push(text),
      })
      .finally(() => held.mockRestore());
    expect([exported.code, exported.stdout]).toEqual([
      0,
      `Exported ${amount} to all.export. A gateway that serves from this store now takes what the file does not have.\n`,
    ]);
    expect(reported).toEqual([
      `${clear}${submissions} of ${rows} rows, 0 a second`,
      ...(resolutions === 0 ? [] : [`${clear}${rows} of ${rows} rows, 2 a second`]),
      clear,
    ]);
    await elsewhere(async (there) => {
      const file = join(place.folder.path, "all.export");
      const imported = await there(["submissions", "import", file], { terminal: true });
      expect(imported).toEqual({
        code: 0,
        signal: null,
        stdout: `Imported ${amount} from ${file}. Gateways may serve from this store.\n`,
        stderr: `${clear}${submissions} of ${rows} rows, 0 a second${clear}`,
      });
      const states = ["--state", "needs_review", "failed"];
      const { stdout } = await there(["submissions", "list", "--json", ...states]);
      expect(JSON.parse(stdout)).toEqual(JSON.parse(listed.stdout));
    });
  });

  it("say what an operator should know, and print no progress where there is no terminal", async () => {
    await add();
    await place.stopServing();
    writeFileSync(join(place.folder.path, "all.export.partial"), "of another store");
    expect(await run("export", "all.export")).toEqual({
      code: 0,
      signal: null,
      stdout:
        "Exported 1 submission and 0 resolutions to all.export. A gateway that serves from this store now takes what the file does not have.\n",
      stderr:
        "all.export.partial cannot be continued, because the store or its key has changed; a new export begins.\n",
    });
    const again = await run("export", "all.export");
    expect([again.code, again.stderr]).toEqual([
      1,
      "all.export exists already: name another file.\n",
    ]);
  });

  it("fail when they cannot say what they did, which is done", async () => {
    await add();
    await place.stopServing();
    const outputError = Object.assign(new Error("full"), { code: "ENOSPC" });
    const failed = {
      code: 1,
      signal: null,
      stdout: "",
      stderr: "standard output cannot be written (ENOSPC)\n",
    };
    const file = join(place.folder.path, "all.export");
    expect(await place.run(["submissions", "export", file], { outputError })).toEqual(failed);
    await elsewhere(async (there) => {
      expect(await there(["submissions", "import", file], { outputError })).toEqual(failed);
      expect((await there(["submissions", "list"])).stdout).toContain("needs_review");
    });
  });

  it("end the progress when they fail", async () => {
    await add();
    await place.stopServing();
    await run("export", "all.export");
    await elsewhere(async (there) => {
      const file = join(place.folder.path, "nowhere.export");
      const { code, stdout } = await there(["submissions", "import", file], { terminal: true });
      expect([code, stdout]).toEqual([1, ""]);
    });
    expect(existsSync(join(place.folder.path, "all.export.partial"))).toBe(false);
  });

  it("change nothing while a gateway serves from the store", async () => {
    await add();
    const { code, stdout } = await run("export", "all.export");
    expect([code, stdout, existsSync(join(place.folder.path, "all.export"))]).toEqual([
      78,
      "",
      false,
    ]);
  });
});
