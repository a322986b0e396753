import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { showProgress } from "../src/call/save-document.ts";
import {
  type Behaviour,
  type GatewayInProcess,
  type Insurer,
  insurerConfiguration,
  startInProcess,
  startInsurer,
} from "./gateway.ts";
import { type RunInProcess, runsInProcess } from "./in-process.ts";

const pdf = "%PDF-1.7 the whole document %%EOF";
const whole: Behaviour = (response) => {
  response.writeHead(200, { "content-type": "application/pdf", "content-length": pdf.length });
  response.end(pdf);
};
/** Sends only a part of the document, and leaves the connection open. */
const part: Behaviour = (response) => {
  response.writeHead(200, { "content-type": "application/pdf", "content-length": pdf.length });
  response.write(pdf.slice(0, 9));
};

let insurer: Insurer;
let gateway: GatewayInProcess;
let folder: string;
let run: RunInProcess;

beforeAll(async () => {
  insurer = await startInsurer(whole);
  gateway = await startInProcess({ providers: [insurerConfiguration("c", insurer.baseUrl)] });
});
afterAll(async () => {
  await insurer.close();
  await gateway.stop();
});

let count = 0;
beforeEach(() => {
  folder = join(gateway.folder.path, `documents-${count++}`);
  mkdirSync(folder);
  const inFolder = runsInProcess({ folder, address: gateway.address });
  const GATEWAY_CONFIG = join(gateway.folder.path, "gateway.config.json");
  run = (parameters, options) =>
    inFolder(parameters, { ...options, environment: { GATEWAY_CONFIG } });
});
afterEach(() => {
  insurer.behaviour = whole;
});

const download = ["call", "provider-c", "downloadIpid", "--application-id", "C-0001"];

describe("a document from the command `call`", () => {
  it("the command `call` saves a document completely under the declared name, and only the file's owner can read the file", async () => {
    const { code, stderr, stdout } = await run([...download, "--output", "table"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toBe("file       ipid.pdf\nbytes      33\nmediaType  application/pdf\n");
    expect(readFileSync(join(folder, "ipid.pdf"), "utf8")).toBe(pdf);
    expect(statSync(join(folder, "ipid.pdf")).mode & 0o077).toBe(0);
    expect(readdirSync(folder)).toEqual(["ipid.pdf"]);
  });

  it("the command `call` saves a document to the file that --out names", async () => {
    const { code } = await run([...download, "--out", "my document.pdf"]);
    expect([code, readdirSync(folder)]).toEqual([0, ["my document.pdf"]]);
  });

  it("the command `call` writes a document to standard output with `--out -`", async () => {
    expect(await run([...download, "--out", "-"])).toMatchObject({ code: 0, stdout: pdf });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("the command `call` replaces a file only with --force, and does not request a document that cannot be saved", async () => {
    writeFileSync(join(folder, "ipid.pdf"), "mine");
    const before = insurer.arrivals.length;
    const refused = await run(download);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("--force")]);
    const nowhere = await run([...download, "--out", "nowhere/ipid.pdf"]);
    expect([nowhere.code, nowhere.stderr]).toEqual([
      2,
      expect.stringContaining("no folder nowhere"),
    ]);
    expect(insurer.arrivals.length).toBe(before);
    expect(readFileSync(join(folder, "ipid.pdf"), "utf8")).toBe("mine");
    expect((await run([...download, "--force"])).code).toBe(0);
    expect(readFileSync(join(folder, "ipid.pdf"), "utf8")).toBe(pdf);
  });

  it.each([
    ["folder", "--out: folder is a folder"],
    ["folder/", "--out: folder/ is a folder"],
    ["file/ipid.pdf", "--out: there is no folder file"],
    ["", "--out: must name a file"],
    ["nowhere-link", "--out: nowhere-link is a broken link"],
  ])(
    "the command `call` does not request a document that cannot be saved: --out '%s'",
    async (out, words) => {
      mkdirSync(join(folder, "folder"));
      writeFileSync(join(folder, "file"), "mine");
      symlinkSync("nowhere", join(folder, "nowhere-link"));
      const before = insurer.arrivals.length;
      const { code, stderr } = await run([...download, "--out", out]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
      expect(insurer.arrivals.length).toBe(before);
    },
  );

  it("the command `call` writes a document to a device such as /dev/null without replacing the device", async () => {
    const { code, stdout } = await run([...download, "--out", "/dev/null"]);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { file: "/dev/null", bytes: 33 }]);
    expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
  });

  it("the command `call` ends with exit code 5 if a document cannot be written", async () => {
    const { code, stderr } = await run([...download, "--out", "/dev/full"]);
    expect([code, stderr]).toEqual([5, expect.stringContaining("could not be written")]);
  });

  it("Ctrl-C ends a document's download to standard output even if no program reads the output", async () => {
    const large = Buffer.alloc(20_000_000, "%PDF-1.7 ");
    insurer.behaviour = (response) => {
      response.writeHead(200, { "content-type": "application/pdf" });
      response.end(large);
    };
    const { code, stderr } = await run([...download, "--out", "-"], {
      unread: () => process.emit("SIGINT"),
    });
    expect([code, stderr]).toEqual([4, expect.stringContaining("error: CANCELLED")]);
  });

  it("the command `call` does not replace a file that another program creates during the download of a document", async () => {
    insurer.behaviour = (response, arrival) => {
      writeFileSync(join(folder, "ipid.pdf"), "mine");
      whole(response, arrival);
    };
    const { code, stderr } = await run(download);
    expect([code, stderr]).toEqual([5, expect.stringContaining("EEXIST")]);
    expect(readFileSync(join(folder, "ipid.pdf"), "utf8")).toBe("mine");
    expect(readdirSync(folder)).toEqual(["ipid.pdf"]);
  });

  it("an interrupted download leaves no file", async () => {
    insurer.behaviour = (response, arrival) => {
      part(response, arrival);
      response.socket?.end();
    };
    const { code, stderr } = await run(download);
    expect([code, stderr]).toEqual([4, expect.stringContaining("run the command again")]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("a download that Ctrl-C cancels leaves no file", async () => {
    insurer.behaviour = part;
    // The promise resolves as soon as the first bytes are on disk.
    const begun = new Promise((resolve) => {
      const watcher = watch(folder, (_, name) => {
        if (name?.endsWith(".partial") !== true) return;
        watcher.close();
        resolve(undefined);
      });
    });
    void begun.then(() => process.emit("SIGINT"));
    const { code, stderr } = await run([...download, "--verbose"]);
    expect([code, stderr]).toEqual([4, expect.stringContaining("error: CANCELLED")]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("the command `call` creates no file if the insurer does not have the requested document", async () => {
    insurer.behaviour = (response) => {
      response.writeHead(404, { "content-type": "application/problem+json" });
      response.end(JSON.stringify({ code: "APPLICATION_NOT_FOUND" }));
    };
    const { code, stderr } = await run(download);
    expect([code, stderr]).toEqual([3, expect.stringContaining("APPLICATION_NOT_FOUND (404)")]);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("the progress of a download", () => {
  it.each([
    [true, 33, ["\ripid.pdf 9 of 33 bytes", "\ripid.pdf 33 of 33 bytes", "\r\u001b[K"]],
    [true, null, ["\ripid.pdf 9 bytes", "\ripid.pdf 33 bytes", "\r\u001b[K"]],
    [false, 33, []],
  ])(
    "the progress of a download is shown only on a terminal: terminal %s, %s bytes, output %j",
    (isTTY, size, shown) => {
      const written: string[] = [];
      const stream = { isTTY, write: (text: string) => written.push(text) };
      const progress = showProgress(stream, { fileName: "ipid.pdf", size });
      progress.moved(9);
      progress.moved(33);
      progress.end();
      expect(written).toEqual(shown);
    },
  );
});
