import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { unpack } from "@insurance-gateway/reference";
import { afterAll, beforeAll, expect, it } from "vitest";
import { documentedRun, statusesOf } from "./harness/documented-run.ts";
import { type RecordedGateway, startRecordedGateway } from "./harness/recorded-gateway.ts";

const bru = join(
  dirname(createRequire(import.meta.url).resolve("@usebruno/cli/package.json")),
  "bin/bru.js",
);
let gateway: RecordedGateway;
let folder: string;

beforeAll(async () => {
  gateway = await startRecordedGateway();
  folder = mkdtempSync(join(tmpdir(), "bruno-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await gateway.stop();
});

async function download(path: string): Promise<string> {
  const response = await fetch(`${gateway.address}/reference/${path}`);
  const files = unpack(new Uint8Array(await response.arrayBuffer()));
  const target = join(folder, path.replaceAll("/", "-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(target, name)), { recursive: true });
    writeFileSync(join(target, name), text);
  }
  gateway.recorder.takeRecorded();
  return target;
}

interface Report {
  readonly summary: Readonly<Record<string, number>>;
}

async function run(collection: string): Promise<Report> {
  const report = join(collection, "report.json");
  await promisify(execFile)(
    process.execPath,
    [
      bru,
      "run",
      "-r",
      "--env",
      "gateway",
      "--env-var",
      `token=${gateway.token}`,
      "--reporter-json",
      report,
    ],
    { cwd: collection },
  ).catch((error: { readonly code: number; readonly stdout: string }) => {
    if (error.code !== 1) throw error;
  });
  const [first]: readonly Report[] = JSON.parse(readFileSync(report, "utf8"));
  return first ?? { summary: {} };
}

it("Bruno's command runs the collection of all providers and gets every documented answer, including problem answers", async () => {
  const { summary } = await run(await download("bruno.zip"));
  const { passedRequests, passedTests, totalRequests, totalTests } = summary;
  expect({ passedRequests, passedTests }).toEqual({
    passedRequests: totalRequests,
    passedTests: totalTests,
  });
  expect(totalTests).toBe(totalRequests);
  expect(statusesOf(gateway.recorder.takeRecorded())).toEqual(documentedRun);
});
