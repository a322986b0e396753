import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { connectBare, REQUEST } from "../harness/bare-connection.ts";
import { failureOf, submit } from "../harness/calls.ts";
import { CONFIRMED, startInsurer } from "../harness/started-insurer.ts";
import { temporaryFile, temporaryFolder } from "../harness/temporary-folder.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("the insurer's log", () => {
  it("the test insurer's log contains the method, path, query, headers and body of each request", async () => {
    const insurer = await startInsurer();
    await submit(insurer.baseUrl, {
      url: `${insurer.baseUrl}/applications/A?afm=1&q=?`,
      headers: { "X-Request-Id": "7", "Idempotency-Key": "bare" },
      body: "Ελένη",
    });
    await submit(insurer.baseUrl, { method: "GET", headers: {} });
    const [first, second] = insurer.arrivals();
    expect(first).toMatchObject({
      number: 1,
      method: "POST",
      path: "/applications/A",
      query: "afm=1&q=?",
      submissionId: "bare",
      headers: { "x-request-id": "7", "idempotency-key": "bare" },
      body: "Ελένη",
    });
    expect(second).toMatchObject({ number: 2, method: "GET", query: "", submissionId: null });
  });

  it("the test insurer's log contains only the headers of a fixed list, so that credentials are omitted", async () => {
    const insurer = await startInsurer();
    const credentials = ["Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "Any-Name"];
    await submit(insurer.baseUrl, {
      headers: {
        ...Object.fromEntries(credentials.map((name) => [name, "canary"])),
        Accept: "application/json",
        "Content-Type": "text/plain",
        "User-Agent": "a test",
        "X-Sandbox-Scenario": "NONE",
      },
    });
    const [arrival] = insurer.arrivals();
    expect(JSON.stringify(arrival)).not.toContain("canary");
    expect(arrival?.headers).toEqual({
      accept: "application/json",
      connection: expect.any(String),
      "content-length": "14",
      "content-type": "text/plain",
      host: new URL(insurer.baseUrl).host,
      "user-agent": "a test",
      "x-sandbox-scenario": "NONE",
    });
  });

  it("the test insurer's log contains an additional header if `logHeaders` names the header", async () => {
    const insurer = await startInsurer({ logHeaders: ["X-Tariff"] });
    await submit(insurer.baseUrl, { headers: { "x-tariff": "7", "x-other": "8" } });
    expect(insurer.arrivals()[0]?.headers["x-tariff"]).toBe("7");
    expect(insurer.arrivals()[0]?.headers["x-other"]).toBeUndefined();
  });

  it.each([
    ["idempotency-key: bare", "bare"],
    ['idempotency-key: "quoted"', "quoted"],
    [String.raw`idempotency-key: "a \"b\" \\ c"`, String.raw`a "b" \ c`],
    [String.raw`idempotency-key: "no \such escape"`, String.raw`"no \such escape"`],
    ['idempotency-key: "no end', '"no end'],
    ['idempotency-key: "one", "two"', '"one", "two"'],
    ['idempotency-key: "one"\r\nidempotency-key: "two"', null],
    ["x-request-id: 7", null],
  ])(
    "the submission id in the test insurer's log is the unquoted idempotency key: header %s, id %s",
    async (header, id) => {
      const insurer = await startInsurer();
      const connection = connectBare(insurer.baseUrl);
      connection.send(REQUEST.replace(/idempotency-key: .*/, () => header));
      await connection.until('"99.00"}');
      expect(insurer.arrivals()[0]?.submissionId).toBe(id);
    },
  );

  it("the test insurer's log contains a request's body as UTF-8 text, with a replacement character for invalid bytes", async () => {
    const insurer = await startInsurer();
    const request = { method: "POST", body: new Uint8Array([0x41, 0xff]) };
    await (await fetch(insurer.baseUrl, request)).text();
    expect(insurer.arrivals()[0]?.body).toBe("A\ufffd");
  });

  it("the test insurer writes a request to the log before executing the request", async () => {
    const log = temporaryFile();
    const found: string[] = [];
    const insurer = await startInsurer({
      log,
      execute() {
        found.push(readFileSync(log, "utf8"));
        return CONFIRMED;
      },
    });
    await submit(insurer.baseUrl);
    expect(found).toEqual([`${JSON.stringify(insurer.arrivals()[0])}\n`]);
  });

  it("a test insurer continues the log of a crashed insurer, and removes an incomplete line", async () => {
    const log = temporaryFile();
    const first = await startInsurer({ log });
    await submit(first.baseUrl);
    await first.close();
    const before = readFileSync(log, "utf8");
    writeFileSync(log, `${before}{"number":2,"met`);
    const second = await startInsurer({ log });
    expect(second.arrivals().map(({ number }) => number)).toEqual([1]);
    await submit(second.baseUrl);
    expect(second.arrivals().map(({ number }) => number)).toEqual([1, 2]);
    expect(readFileSync(log, "utf8").startsWith(`${before}{"number":2,"method":"POST"`)).toBe(true);
  });

  it("the test insurer's log omits a request whose body is incomplete", async () => {
    const insurer = await startInsurer();
    const connection = connectBare(insurer.baseUrl);
    connection.send(REQUEST.slice(0, -1));
    connection.destroy();
    await submit(insurer.baseUrl);
    await insurer.close();
    expect(insurer.arrivals().map(({ body }) => body)).toEqual(['{"make":"TOY"}']);
  });

  it("the test insurer's `nextArrival` resolves after the request is written to the log", async () => {
    const insurer = await startInsurer();
    await insurer.behave("reset-after-request");
    const seen = insurer.nextArrival().then((arrival) => [arrival, insurer.arrivals().at(-1)]);
    await failureOf(submit(insurer.baseUrl));
    const [told, written] = await seen;
    expect(told).toMatchObject({ number: 1, submissionId: "R-1" });
    expect(written).toEqual(told);
  });

  it("the test insurer's default log is in a temporary folder, which is removed when the test insurer closes", async () => {
    const folder = temporaryFolder();
    vi.stubEnv("TMPDIR", folder);
    const insurer = await startInsurer();
    expect(readdirSync(folder)).toHaveLength(1);
    await insurer.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("only the owner can read the test insurer's log file", async () => {
    const log = temporaryFile();
    await startInsurer({ log });
    expect(statSync(log).mode & 0o777).toBe(0o600);
  });
});

describe("a test insurer that cannot start", () => {
  it("a test insurer leaves no files behind if the port is in use", async () => {
    const { baseUrl } = await startInsurer();
    const folder = temporaryFolder();
    vi.stubEnv("TMPDIR", folder);
    const port = Number(new URL(baseUrl).port);
    expect(await failureOf(startInsurer({ port }))).toMatchObject({ code: "EADDRINUSE" });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("a test insurer releases the lock on the log if the port is in use", async () => {
    const { baseUrl } = await startInsurer();
    const log = temporaryFile();
    const port = Number(new URL(baseUrl).port);
    expect(await failureOf(startInsurer({ log, port }))).toMatchObject({ code: "EADDRINUSE" });
    await submit((await startInsurer({ log })).baseUrl);
  });

  it("a test insurer leaves no lock behind if the path of the log is a folder", async () => {
    const folder = temporaryFolder();
    const log = join(folder, "a folder");
    mkdirSync(log);
    expect(await failureOf(startInsurer({ log }))).toMatchObject({ code: "EISDIR" });
    expect(readdirSync(folder)).toEqual(["a folder"]);
  });
});

describe("a log in use", () => {
  it("a test insurer cannot open a log until the test insurer that uses the log closes", async () => {
    const log = temporaryFile();
    const first = await startInsurer({ log });
    await expect(startInsurer({ log })).rejects.toThrow(
      `An insurer of process ${process.pid} uses the log ${log}`,
    );
    await submit(first.baseUrl);
    await first.close();
    expect(existsSync(`${log}.lock`)).toBe(false);
    const second = await startInsurer({ log });
    await submit(second.baseUrl);
    expect(second.arrivals().map(({ number }) => number)).toEqual([1, 2]);
  });

  it("a test insurer cannot open a log that another process has locked", async () => {
    const log = temporaryFile();
    writeFileSync(`${log}.lock`, String(process.ppid));
    await expect(startInsurer({ log })).rejects.toThrow(`remove ${log}.lock`);
    expect(existsSync(log)).toBe(false);
  });

  it("a test insurer can open a locked log if the process that locked the log has ended", async () => {
    const log = temporaryFile();
    writeFileSync(`${log}.lock`, String(spawnSync(process.execPath, ["-e", ""]).pid));
    await (await startInsurer({ log })).close();
    writeFileSync(`${log}.lock`, String(process.pid));
    utimesSync(`${log}.lock`, 0, 0);
    await (await startInsurer({ log })).close();
  });
});
