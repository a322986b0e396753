import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { GatewayFolder } from "@insurance-gateway/running-gateway";
import type { FaultInjectingInsurer } from "@insurance-gateway/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FailingInsurer, startFailingInsurerInProcess } from "./failing-insurer.ts";
import { applicationBody, type GatewayInProcess } from "./gateway.ts";
import { type RunInProcess, runsInProcess } from "./in-process.ts";

let failing: FailingInsurer<GatewayInProcess>;
let insurer: FaultInjectingInsurer;
let folder: GatewayFolder;
let gateway: GatewayInProcess;
let run: RunInProcess;

beforeAll(async () => {
  failing = await startFailingInsurerInProcess();
  ({ insurer, folder, gateway } = failing);
  run = runsInProcess({ folder: folder.path, address: gateway.address });
});
afterAll(() => failing.stop());

const text = JSON.stringify(applicationBody("000000140"));
const greek = "Μαρία";
/** The body of an application with the customer's name in ISO-8859-7 instead of UTF-8. */
const iso88597 = Buffer.concat([
  Buffer.from(text.slice(0, text.indexOf(greek))),
  Buffer.from([0xcc, 0xe1, 0xf1, 0xdf, 0xe1]),
  Buffer.from(text.slice(text.indexOf(greek) + greek.length)),
]);
const utf16 = Buffer.from(text, "utf16le");

function create(content: Uint8Array | string): ReturnType<RunInProcess> {
  writeFileSync(join(folder.path, "app.json"), content);
  return run(["call", "provider-d", "createApplication", "--body", "app.json"]);
}

describe("a body from a file", () => {
  it.each([
    ["the charset ISO-8859-7", iso88597, "--body is not UTF-8, but perhaps ISO-8859-7"],
    ["the charset UTF-16", utf16, "--body is UTF-16LE"],
    ["UTF-16 and a byte order mark", Buffer.from(`\ufeff${text}`, "utf16le"), "--body is UTF-16LE"],
    ["big-endian UTF-16", Buffer.from(utf16).swap16(), "--body is UTF-16BE"],
    [
      "UTF-32 and a byte order mark",
      Buffer.concat([Buffer.from([0xff, 0xfe, 0, 0, 0x7b, 0, 0, 0])]),
      "--body is UTF-32",
    ],
    ["the charset UTF-32", Buffer.of(0x7b, 0, 0, 0, 0x7d, 0, 0, 0), "--body is UTF-32;"],
    ["big-endian UTF-32", Buffer.of(0, 0, 0, 0x7b, 0, 0, 0, 0x7d), "--body is UTF-32;"],
    [
      "big-endian UTF-32 and a byte order mark",
      Buffer.of(0, 0, 0xfe, 0xff, 0, 0, 0, 0x7b),
      "--body is UTF-32;",
    ],
    [
      "big-endian UTF-16 and a byte order mark",
      Buffer.from(`\ufeff${text}`, "utf16le").swap16(),
      "--body is UTF-16BE;",
    ],
    ["a name that occurs twice", text.replace("{", '{"holder":{},'), "the same name twice"],
    ["half of a surrogate pair", text.replace(greek, "\\ud83d"), "half of a surrogate pair"],
    [
      "a number beyond the largest number",
      text.replace("{", '{"n":1e999,'),
      "A number in the body",
    ],
    ["more than 32 levels", `${"[".repeat(40)}${"]".repeat(40)}`, "nested deeper than 32 levels"],
  ])("the command `call` sends nothing if the body file has %s", async (_, content, words) => {
    const before = insurer.arrivals().length;
    const { code, stderr } = await create(content);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
    expect(stderr).not.toMatch(/000000140|Παπ/);
    expect(insurer.arrivals().length).toBe(before);
  });

  it("the command `call` accepts a body file with a byte order mark of UTF-8", async () => {
    const { code, stdout } = await create(`\ufeff${text}`);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { holder: { afm: "000000140" } }]);
  });
});

describe("a search query from standard input", () => {
  const search = ["call", "provider-d", "searchApplications", "--query"];

  it("the command `call` reads a search query from standard input, and replaces values of the query with the flags' values", async () => {
    await create(text);
    const input = JSON.stringify({ clientAfm: "000000140", limit: 3 });
    const all = await run([...search, "-", "--limit=7"], { input });
    expect([all.code, JSON.parse(all.stdout)]).toMatchObject([
      0,
      { limit: 7, items: expect.arrayContaining([expect.anything()]) },
    ]);
  });

  it.each([
    ['{"clientAfm":"1"}', "--client-afm must be 9 digits"],
    ['{"clientAfm":"000000140","broker":1}', "--query (/broker) is not an accepted field"],
    ["7", "--query must be an object"],
    ["{", "--query must be JSON"],
  ])(
    "the error for an invalid search query contains the flag or the place of the fault: %s",
    async (input, words) => {
      const { code, stderr } = await run([...search, "-"], { input });
      expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
    },
  );
});

describe("errors with --output json", () => {
  it.each<readonly [readonly string[], object, number]>([
    [["--body=-"], { code: "REQUEST_INVALID", outcome: "not_sent", retry: "never" }, 2],
    [["--body=-", "--timeout=soon"], { code: "COMMAND_LINE_INVALID", outcome: "not_sent" }, 2],
    // An earlier call may have used the key, so the outcome is unknown.
    [
      ["--timeout=soon", "--idempotency-key", "k"],
      { code: "COMMAND_LINE_INVALID", outcome: "unknown", retry: "after_check" },
      2,
    ],
  ])(
    "an invalid command line with --output json is reported as one JSON object: %j",
    async (flags, facts, exitCode) => {
      const { code, stderr } = await run(
        ["call", "provider-d", "createApplication", "--output=json", ...flags],
        { input: '{"holder":{"afm":"1"}}' },
      );
      expect([code, JSON.parse(stderr)]).toMatchObject([exitCode, facts]);
      expect(stderr.trimEnd()).not.toContain("\n");
    },
  );

  it("the report of a failed call with --output json is one JSON object with the faults and the idempotency key", async () => {
    insurer.script("rejected");
    const { code, stderr } = await run(
      [
        "call",
        "provider-d",
        "createApplication",
        "--output=json",
        "--body=-",
        "--idempotency-key=k-rejected",
      ],
      { input: JSON.stringify(applicationBody("000000141")) },
    );
    expect([code, JSON.parse(stderr)]).toMatchObject([
      3,
      {
        code: "PROVIDER_REJECTED",
        outcome: "rejected",
        retry: "never",
        message: expect.stringContaining("The insurer refused the request"),
        errors: expect.any(Array),
        idempotencyKey: "k-rejected",
        submissionId: null,
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    ]);
  });
});
