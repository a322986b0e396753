import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Contract } from "../src/index.ts";
import { requesting } from "./harness/contracts.ts";

const main = fileURLToPath(new URL("../bin/contract-diff.js", import.meta.url));
const earlier = requesting({ type: "object", properties: { a: { type: "string" } } });
const current = requesting({
  type: "object",
  properties: { a: { type: "string", maxLength: 3, description: "An a." } },
});

/** A repository whose last commit contains the earlier contract and whose working tree contains the current one. */
let repository: string;

beforeAll(() => {
  repository = mkdtempSync(join(tmpdir(), "contract-diff-"));
  const git = (...parameters: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t.test", ...parameters], {
      cwd: repository,
    });
  git("init", "--quiet");
  git("commit", "--quiet", "--allow-empty", "--message", "nothing");
  write("packages/provider-x/openapi.json", earlier);
  git("add", ".");
  git("commit", "--quiet", "--message", "the first contract");
  write("packages/provider-x/openapi.json", current);
  write("released/packages/provider-x/openapi.json", earlier);
  write("unpacked/openapi.json", earlier);
  write("same.json", current);
});
afterAll(() => rmSync(repository, { recursive: true }));

function write(path: string, contract: Contract): void {
  mkdirSync(dirname(join(repository, path)), { recursive: true });
  writeFileSync(join(repository, path), JSON.stringify(contract));
}

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function contractDiff(...parameters: readonly string[]): Ended {
  return spawnSync(process.execPath, [main, ...parameters], { cwd: repository, encoding: "utf8" });
}

describe("npm run contract-diff", () => {
  it("`npm run contract-diff` prints the changes since the last commit, breaking changes first", () => {
    const { status, stderr, stdout } = contractDiff("provider-x");
    expect([status, stderr]).toEqual([0, ""]);
    const [summary, , heading, ...lines] = stdout.split("\n");
    expect(summary).toBe(
      "provider-x compared with HEAD: 1 major, 1 patch. The next release must be at least a major.",
    );
    expect(heading).toBe("POST /things (createThing)");
    expect(lines.filter((line) => /^ {2}\w/.test(line)).map((line) => line.slice(2, 7))).toEqual([
      "major",
      "patch",
      // The legend of the levels, at the end of the report.
      "major",
      "minor",
      "patch",
    ]);
  });

  it.each(["released", "unpacked", "unpacked/openapi.json", "HEAD"])(
    "the option `--against` of contract-diff accepts a folder, a file or a Git revision: %s",
    (against) => {
      const { stdout } = contractDiff("provider-x", "--against", against, "--json");
      const changes = JSON.parse(stdout) as readonly { readonly level: string }[]; // The shape that `--json` prints.
      expect(changes.map(({ level }) => level)).toEqual(["patch", "major"]);
    },
  );

  it("contract-diff reports a provider as new if the older revision has no contract of the provider", () => {
    const { stdout } = contractDiff("provider-x", "--against", "HEAD~1");
    expect(stdout).toContain("1 minor. The next release must be at least a minor.");
    expect(stdout).toContain("The endpoint is new.");
  });

  it.each([
    [["--fail-on", "major"], 1],
    [["--fail-on", "minor"], 1],
    [["--fail-on", "major", "--against", "HEAD~1"], 0],
    [["--fail-on", "patch", "--against", "same.json"], 0],
  ])(
    "the options of `npm run contract-diff` determine the exit code: %j → %d",
    (parameters, status) => {
      expect(contractDiff("provider-x", ...parameters).status).toBe(status);
    },
  );

  it("`npm run contract-diff -- --help` prints the help to standard output", () => {
    const { status, stderr, stdout } = contractDiff("--help");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("--fail-on <level>");
  });

  it.each([
    [["provider-y"], 2, "packages/provider-y/openapi.json does not exist"],
    [["provider-x", "--against", "nothing"], 2, "or --against @insurance-gateway/provider-x@1.0.0"],
    [["provider-x", "--against", "--all"], 2, "neither a file, nor a folder, nor a Git revision"],
    [["provider-x", "--against", "packages"], 2, "has no openapi.json"],
    [["provider-x", "--fail-on", "all"], 2, "Allowed choices are major, minor, patch"],
    [["provider-x", "--no-such-option"], 2, "unknown option '--no-such-option'"],
    [[], 2, "missing required argument 'provider'"],
  ])(
    "contract-diff rejects wrong arguments with a message and without a stack trace: %j",
    (parameters, status, words) => {
      const ended = contractDiff(...parameters);
      expect([ended.status, ended.stdout]).toEqual([status, ""]);
      expect(ended.stderr).toContain(words);
      expect(ended.stderr).not.toContain("    at ");
    },
  );
});
