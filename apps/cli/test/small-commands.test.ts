import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type GatewayFolder,
  makeGatewayFolder,
  sandboxConfiguration,
} from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { moveFlagsBehindEndpoint } from "../src/call/register-call.ts";
import { exitCodesHelp } from "../src/exit-codes.ts";
import { type RunInProcess, runsInProcess } from "./in-process.ts";

let folder: GatewayFolder;
let run: RunInProcess;
beforeAll(() => {
  folder = makeGatewayFolder(sandboxConfiguration);
  run = runsInProcess({ folder: folder.path, address: "http://127.0.0.1:1" });
});
afterAll(() => folder.remove());

/** Returns the claims of a token. */
function claimsOf(token: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
}

describe("the command `token`", () => {
  it.each([
    [[], { sub: "developer", scope: "*:*" }, 28_800],
    [
      ["--subject", "me", "--scope", "*:lookup", "--expires-in", "60"],
      { sub: "me", scope: "*:lookup" },
      60,
    ],
    [["--tenant", "north"], { sub: "developer", broker: "north" }, 28_800],
  ])(
    "the command `token` prints only a token, with the claims that the flags name: %j",
    async (flags, claims, seconds) => {
      folder.writeConfiguration({
        ...sandboxConfiguration,
        accounts: { claim: "broker" },
      });
      const { code, stderr, stdout } = await run(["token", ...flags]);
      folder.writeConfiguration(sandboxConfiguration);
      expect(stderr).toBe("");
      const found = claimsOf(stdout);
      expect([code, stderr, found]).toEqual([0, "", expect.objectContaining(claims)]);
      expect(Number(found.exp) - Number(found.iat)).toBe(seconds);
      expect(Object.hasOwn(found, "broker")).toBe(Object.hasOwn(claims, "broker"));
    },
  );

  it.each([
    [["--tenant", "north"], {}, "accounts.claim: must be set"],
    [
      [],
      {
        issuers: [
          {
            issuer: "https://login.example",
            audience: "a",
            jwksUri: "https://login.example/k",
            algorithms: ["RS256"],
          },
        ],
      },
      "issuers: tokens come from your issuer",
    ],
  ])(
    "the command `token` fails if the gateway would refuse the token: %j",
    async (flags, configuration, words) => {
      const other = makeGatewayFolder({ ...sandboxConfiguration, ...configuration });
      const { code, stderr, stdout } = await runsInProcess({ folder: other.path, address: "" })([
        "token",
        ...flags,
      ]);
      const made = existsSync(join(other.path, "data"));
      other.remove();
      expect([code, stdout, made]).toEqual([78, "", false]);
      expect(stderr).toContain(words);
    },
  );

  it("the command `token` fails in production", async () => {
    const { code, stdout } = await run(["token"], { environment: { NODE_ENV: "production" } });
    expect([code, stdout]).toEqual([78, ""]);
  });
});

describe("a number on the command line", () => {
  // An unknown option follows each accepted number, so that no command runs.
  const next = "unknown option '--further'";

  it.each([
    [["token", "--expires-in", "0"], "positive whole number of seconds"],
    [["token", "--expires-in", "1000000000"], "positive whole number of seconds"],
    [["token", "--expires-in", "999999999"], next],
    [["token", "--expires-in", "1"], next],
    [["sandbox", "--port", "65536"], "It must be a port"],
    [["sandbox", "--port", "-1"], "It must be a port"],
    [["sandbox", "--port", "000001"], next],
    [["sandbox", "--port", "0"], next],
    [["sandbox", "--port", "65535"], next],
    [["call", "provider-a", "listBrands", "--timeout", "0"], "positive number of seconds"],
    [["call", "provider-a", "listBrands", "--timeout", "0.0001"], "positive number of seconds"],
    [["call", "provider-a", "listBrands", "--timeout", "1000000"], "positive number of seconds"],
    [["call", "provider-a", "listBrands", "--timeout", "999999.999"], next],
    [["call", "provider-a", "listBrands", "--timeout", "0.001"], next],
    [["submissions", "list", "--limit", "0099999"], next],
    [["submissions", "list", "--state", "lost"], "Allowed choices are"],
  ])(
    "a command accepts the number of a flag only within the flag's limits: %j",
    async (parameters, words) => {
      const { code, stderr, stdout } = await run([...parameters, "--further"]);
      expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(words)]);
    },
  );
});

describe("the flags before an endpoint", () => {
  it.each([
    ["", ""],
    ["p", "p"],
    ["p e", "p e"],
    ["p e --timeout 5", "p e --timeout 5"],
    ["--timeout 5 p e", "p e --timeout 5"],
    ["--timeout=5 p e", "p e --timeout=5"],
    ["p --timeout 5 e", "p e --timeout 5"],
    ["p --verbose e --afm 1", "p e --verbose --afm 1"],
    ["--verbose p --output json e --body -", "p e --verbose --output json --body -"],
    ["--insecure-http --gateway=x p --all e", "p e --insecure-http --gateway=x --all"],
    // The value of a flag may look like a name or like a flag.
    ["--out p q e", "q e --out p"],
    ["--idempotency-key --verbose p e", "p e --idempotency-key --verbose"],
    ["--timeout", ""],
    // Without an endpoint, these flags have no effect.
    ["--timeout 5 p", "p"],
    ["p --timeout 5", "p"],
    ["--verbose", ""],
    // An unknown flag stays in its place, with all words after it.
    ["--afm 1 p e", "--afm 1 p e"],
    ["p --afm 1 e", "p --afm 1 e"],
    ["--verbose p -h", "p -h"],
    ["p -- e", "p -- e"],
    ["p e q --verbose", "p e q --verbose"],
  ])("the command `call` accepts common flags before the endpoint's name: %s", (given, moved) => {
    const words = (text: string): readonly string[] => text.split(" ").filter(Boolean);
    expect(moveFlagsBehindEndpoint(words(given))).toEqual(words(moved));
  });
});

describe("the help", () => {
  it.each([
    [[], ["Serve:", "Look:", "Call:", "Operate:", "insurance-gateway call provider-a listBrands"]],
    [
      ["call"],
      [
        "<provider> <endpoint> [flags]",
        "--body <file>",
        "--media-type <type>",
        "--all",
        "--out <file>",
        "--idempotency-key <key>",
        "(default: 60)",
        "GATEWAY_TOKEN",
      ],
    ],
    [
      ["call", "provider-d", "createApplication"],
      ["--holder-afm", "--body <file>", "--idempotency-key <key>"],
    ],
    [
      ["submissions", "ask"],
      ["--gateway <url>", "--timeout <seconds>"],
    ],
    [["submissions", "reconcile"], ["--wait <seconds>"]],
  ])(
    "the help of a command has the command's flags and the exit codes: %j",
    async (command, words) => {
      const { code, stdout } = await run([...command, "--help"]);
      expect(code).toBe(0);
      for (const text of [...words, exitCodesHelp]) expect(stdout).toContain(text);
    },
  );

  it.each([
    ["submissions list", ["(default: 100)", '"outcome_unknown","needs_review"']],
    ["submissions reconcile", ["(default: 60)"]],
    ["submissions ask", ["(default: 60)", '(default: "http://127.0.0.1:8080", env: GATEWAY_URL)']],
    ["record", ["(default: 5)", "(default: 60)"]],
    ["sandbox", ["(default: 8090)"]],
    ["token", ['(default: "developer")', '(default: "*:*")', "(default: 28800)"]],
    ["collections", ['(default: "collections")']],
    ["usage", ['(choices: "csv", "json", default: "csv")']],
  ])("the help of a command contains the default of each flag: %s", async (command, defaults) => {
    const { stdout } = await run([...command.split(" "), "--help"]);
    const text = stdout.replaceAll(/\s+/g, " ");
    for (const words of defaults) expect(text).toContain(words);
  });

  it("the help of `call` for an endpoint has only the flags of the endpoint's kind", async () => {
    const helps: Record<string, string> = {};
    for (const words of [
      "provider-d createApplication",
      "provider-d searchApplications",
      "provider-c downloadIpid",
      "provider-a listBrands",
    ])
      helps[words] = (await run(["call", ...words.split(" "), "--help"])).stdout;
    const having = (flag: string): readonly string[] =>
      Object.entries(helps)
        .filter(([, text]) => text.includes(`${flag} `))
        .map(([words]) => words);
    expect(having("--body")).toEqual(["provider-d createApplication"]);
    expect(having("--media-type")).toEqual([]);
    expect(having("--idempotency-key")).toEqual(["provider-d createApplication"]);
    expect(having("--query")).toEqual(["provider-d searchApplications"]);
    expect(having("--all")).toEqual(["provider-d searchApplications"]);
    expect(having("--out")).toEqual(["provider-c downloadIpid"]);
    expect(having("--force")).toEqual(["provider-c downloadIpid"]);
    expect(having("--verbose")).toHaveLength(4);
  });

  it("the help of the program lists every exit code", () => {
    const codes = [...exitCodesHelp.matchAll(/^ {2}(\d+) /gm)].map(([, code]) => Number(code));
    expect(codes).toEqual([0, 1, 2, 3, 4, 5, 6, 69, 78]);
  });
});
