import {
  type GatewayFolder,
  makeGatewayFolder,
  sandboxConfiguration,
} from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exitCodesHelp } from "../src/exit-codes.ts";
import { tableBelow } from "./gateway.ts";
import { type Run, runsIn } from "./program.ts";

let folder: GatewayFolder;
let run: Run;

beforeAll(() => {
  folder = makeGatewayFolder(sandboxConfiguration);
  run = runsIn({ folder: folder.path, address: "http://127.0.0.1:1" });
});
afterAll(() => folder.remove());

describe("the help", () => {
  it("the help of the program lists the commands in groups, with examples and the exit codes", async () => {
    const { code, stdout } = await run(["--help"]);
    expect(code).toBe(0);
    const groups = stdout.match(/^[A-Z][a-z ]+:$/gm);
    expect(groups).toEqual([
      "Options:",
      "Serve:",
      "Look:",
      "Call:",
      "Operate:",
      "Examples:",
      "Configuration:",
      "Exit codes:",
    ]);
    for (const command of [
      "serve",
      "token",
      "providers",
      "routes",
      "call",
      "submissions",
      "answers",
      "usage",
    ]) {
      expect(stdout).toMatch(new RegExp(`^  ${command} .*\\S`, "m"));
      expect(stdout).toMatch(new RegExp(`^ .*insurance-gateway ${command}`, "m"));
    }
    expect(stdout).toContain(exitCodesHelp);
  });

  it.each([
    [["serve"], ["Example:"]],
    [["token"], ["Example:", "--scope <scope>"]],
    [["providers"], ["Example:", "--json"]],
    [["routes"], ["Example:", "--kind <kind>", "--search <text>"]],
    [["submissions"], ["Examples:", "ask"]],
    [["usage"], ["Examples:", "--from <day>", "--to <day>", "--account <id>", "--format <format>"]],
    [["answers"], ["Example:", "--rows", "--from <address>"]],
    [
      ["submissions", "ask"],
      ["Example:", "Exit codes:", "--gateway <url>"],
    ],
    [
      ["submissions", "list"],
      ["Example:", "--state <states...>"],
    ],
    [
      ["submissions", "show"],
      ["Example:", "--reveal", "--by <name>", "--why <reason>"],
    ],
    [
      ["submissions", "reconcile"],
      ["Example:", "Exit codes:", "--wait <seconds>"],
    ],
    [
      ["submissions", "resolve"],
      ["Example:", "--as <state>"],
    ],
    [
      ["submissions", "accept-restore"],
      ["Example:", "--show"],
    ],
    [["submissions", "mark-restored"], ["Example:"]],
    [["store", "create"], ["Examples:"]],
    [
      ["store", "copy"],
      ["Examples:", "--to <place>"],
    ],
    [
      ["store", "restore"],
      ["Example:", "<from>"],
    ],
    [
      ["call"],
      [
        "Usage: insurance-gateway call <provider> <endpoint> [flags]",
        "Examples:",
        "Exit codes:",
        "--body <file>",
        "--all",
        "--out <file>",
        "--force",
        "--idempotency-key <key>",
        "--gateway <url>",
        "--timeout <seconds>",
        "--output <form>",
        "--scenario <name>",
        "--verbose",
        "GATEWAY_TOKEN",
      ],
    ],
  ])(
    "the help of a command shows the command's flags and an example: %j",
    async (command, words) => {
      const { code, stdout } = await run([...command, "--help"]);
      expect(code).toBe(0);
      for (const text of words) expect(stdout).toContain(text);
    },
  );

  it("the help of `call` for an endpoint describes each flag, and has a valid example", async () => {
    const { code, stdout } = await run(["call", "provider-d", "createApplication", "--help"]);
    expect(code).toBe(0);
    const text = stdout.replaceAll(/\s+/g, " ");
    expect(text).toContain("Usage: insurance-gateway call provider-d createApplication [flags]");
    expect(text).toContain(
      "Creates a motor application (submission: POST /provider-d/applications)",
    );
    for (const flag of ["--policy-start-date", "--policy-end-date"])
      expect(text).toMatch(new RegExp(`${flag} <date> [^<]*\\(date YYYY-MM-DD; required\\)`));
    expect(text).toMatch(
      /--holder-afm <text> Tax identification number [^<]*\(text, 9 digits; required\)/,
    );
    expect(text).toMatch(
      /--holder-full-name <text> [^<]*at most 200 characters, not blank; required\)/,
    );
    for (const flag of ["--body <file>", "--idempotency-key <key>"]) expect(text).toContain(flag);
    for (const flag of ["--all", "--out ", "--force"]) expect(text).not.toContain(flag);
    const [, example = ""] = /^Example:\n {2}insurance-gateway (.*?)\n\n/ms.exec(stdout) ?? [];
    const words = example.replaceAll(/ \\\n +/g, " ").match(/'[^']*'|\S+/g) ?? [];
    // The only error is that no gateway runs, which shows that the command accepts every word of the example.
    const tried = await run(words.map((word) => word.replaceAll("'", "")));
    expect([tried.code, tried.stderr]).toEqual([1, expect.stringContaining("CONNECTION_FAILED")]);
  });

  it("the help of `call` for an endpoint has the flags of the endpoint's kind, such as --all for a search", async () => {
    const search = await run(["call", "provider-d", "searchApplications", "--help"]);
    expect(search.stdout).toMatch(/--all /);
    expect(search.stdout).toMatch(/--limit <integer>[^<]*at least 1,\s+at most 100\)/);
    expect(search.stdout).not.toMatch(/--body|--out |--idempotency-key/);
    const document = await run(["call", "provider-c", "downloadIpid", "--help"]);
    expect(document.stdout).toMatch(/--out <file>/);
    expect(document.stdout).toMatch(/--force/);
  });
});

describe("docs/command-line.md", () => {
  it("docs/command-line.md has the same exit codes as the help", () => {
    const rows = tableBelow("docs/command-line.md", "When it fails");
    const lines = rows.map(([code = "", meaning = ""]) => `  ${code.padEnd(4)}${meaning}`);
    expect(["Exit codes:", ...lines].join("\n")).toBe(exitCodesHelp);
  });

  it("docs/command-line.md has every common flag of the command `call`", async () => {
    const { stdout } = await run(["call", "--help"]);
    const flags = [...stdout.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, flag = ""]) => flag);
    const rows = tableBelow("docs/command-line.md", "Calling");
    expect(rows.map(([cell = ""]) => /--[a-z-]+/.exec(cell)?.[0] ?? "").toSorted()).toEqual(
      flags.toSorted(),
    );
  });
});
