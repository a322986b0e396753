import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type GatewayFolder,
  makeGatewayFolder,
  sandboxConfiguration,
} from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { type RunInProcess, runsInProcess } from "./in-process.ts";
import { applicationFlags } from "./program.ts";

let folder: GatewayFolder;
let run: RunInProcess;

/** An address without a server. A command that fails with another error than a failed connection sent no request. */
const nobody = "http://127.0.0.1:1";

beforeAll(() => {
  folder = makeGatewayFolder(sandboxConfiguration);
  run = runsInProcess({ folder: folder.path, address: nobody });
});
afterAll(() => folder.remove());

const create = ["call", "provider-d", "createApplication"];

describe("an input that breaks the declaration", () => {
  it("the command `call` reports all faults of an invalid input, each with the flag of the field", async () => {
    const { code, stderr, stdout } = await run([
      ...create,
      "--policy-start-date=2026-02-30",
      "--vehicle-plate-number= ",
      "--holder-afm=12345678",
      "--idempotency-key=κλειδί",
    ]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr.split("\n").slice(0, -2)).toEqual([
      "error: nothing was sent:",
      "  --policy-start-date must be a date that exists, written YYYY-MM-DD",
      "  --policy-end-date is required",
      "  --vehicle-plate-number must not be blank",
      "  --vehicle-manufacturer-code is required",
      "  --vehicle-model-code is required",
      "  --holder-afm must be 9 digits",
      "  --holder-full-name is required",
      "  --idempotency-key must be 1 to 255 characters of printable ASCII without space, quotation mark and backslash",
    ]);
  });

  it.each([
    [
      [
        "provider-d",
        "searchApplications",
        "--client-afm=123456789",
        "--start=first",
        "--limit=101",
      ],
      ["--start must be a number", "--limit must be 100 or less"],
    ],
    [["provider-c", "downloadIpid"], ["--application-id is required"]],
    [
      ["provider-d", "createApplication"],
      [
        "--policy-start-date is required",
        "--policy-end-date is required",
        "--vehicle-plate-number is required",
        "--vehicle-manufacturer-code is required",
        "--vehicle-model-code is required",
        "--holder-afm is required",
        "--holder-full-name is required",
      ],
    ],
    [
      [
        "provider-e",
        "calculatePensionQuote",
        "--monthly-contribution=12.345",
        "--duration-years=0",
      ],
      [
        "--person-dob is required",
        "--monthly-contribution must have at most two decimal places",
        "--duration-years must be more than 0",
      ],
    ],
    [
      ["provider-d", "createApplication", ...applicationFlags("123456789"), "--scenario=Ω"],
      ["--scenario must be printable ASCII"],
    ],
  ])(
    "the command `call` reports the faults of an invalid input: %j",
    async (parameters, faults) => {
      const { code, stderr } = await run(["call", ...parameters]);
      expect(code).toBe(2);
      expect(stderr.match(/^ {2}--.*$/gm)).toEqual(faults.map((fault) => `  ${fault}`));
    },
  );

  it("the command `call` reports each fault of a given body with the field's flag, or with the place in the body", async () => {
    const input = JSON.stringify({
      policy: { startDate: "2026-12-01", endDate: "2026-12-01" },
      vehicle: "ΙΚΥ-1234",
      holder: { afm: "123456789", fullName: "X", age: 41 },
      broker: 7,
    });
    const { code, stderr } = await run([...create, "--body=-", "--vehicle-model-code=YARIS"], {
      input,
    });
    expect(code).toBe(2);
    expect(stderr.match(/^ {2}--.*$/gm)?.toSorted()).toEqual([
      "  --body (/broker) is not an accepted field",
      "  --body (/holder/age) is not an accepted field",
      "  --body (/vehicle) must be an object",
      "  --policy-end-date must be after startDate",
    ]);
  });

  it.each([
    ['{ "holder": { "afm": "123456789", } }', "--body must be JSON"],
    ["", "--body must be JSON"],
  ])(
    "the command `call` refuses a body that is not JSON, without printing the body: %j",
    async (content, fault) => {
      writeFileSync(join(folder.path, "broken.json"), content);
      const { code, stderr } = await run([...create, "--body", "broken.json"]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(fault)]);
      expect(stderr).not.toContain("123456789");
    },
  );
});

describe("an invalid command line", () => {
  it.each([
    [["sevre"], ["unknown command 'sevre'", "(Did you mean serve?)"]],
    [
      ["call", "provider-x", "listBrands"],
      ["unknown provider 'provider-x'", "Did you mean one of provider-a,"],
    ],
    [
      ["call", "provider-a", "listBrand"],
      ["unknown endpoint 'listBrand'", "(Did you mean listBrands?)"],
    ],
    [
      [...create, "--holder-amf", "1"],
      ["unknown option '--holder-amf'", "(Did you mean --holder-afm?)"],
    ],
    [["call", "provider-a", "listBrands", "--all"], ["unknown option '--all'"]],
    [["call", "provider-a", "listBrands", "--timeout", "soon"], ["positive number of seconds"]],
    [["call", "provider-a", "listBrands", "--output", "xml"], ["Allowed choices are table, json"]],
    [
      ["call", "provider-a", "listBrands", "--gateway", "nowhere"],
      ["--gateway must be an absolute http"],
    ],
    [[...create, "--body", "nowhere.json"], ["--body names a file that cannot be read"]],
    [["routes", "--kind", "everything"], ["Allowed choices are lookup"]],
    [["submissions", "ask", "1"], ["must be the id of a submission"]],
    [["token", "--expires-in", "soon"], ["positive whole number of seconds"]],
  ])(
    "an invalid command line ends with exit code 2 and an explanation: %j",
    async (parameters, words) => {
      const { code, stderr, stdout } = await run(parameters);
      expect([code, stdout]).toEqual([2, ""]);
      for (const text of words) expect(stderr).toContain(text);
    },
  );

  it.each([
    [
      [...create, "--holder-afm", "123456789", "--holder-afm", "987654321"],
      "must be given only once",
    ],
    [[...create, "123456789"], "too many arguments"],
    [[...create, "--holder-amf=123456789"], "unknown option '--holder-amf'"],
    [[...create, "--holder-amf=12345'6789\n123456789"], "unknown option '--holder-amf'"],
    [[...create, "--timeout=123456789"], "positive number of seconds"],
    [[...create, "-t123456789"], "unknown option '-t'"],
    [["call", "provider-d", "--holder-afm=123456789", "createApplication"], "'--holder-afm'"],
    [["call", "--holder-afm=123456789", "provider-d"], "unknown option '--holder-afm'"],
    [["--token=123456789", "call"], "unknown option '--token'"],
    [["call", "--token=123456789", "provider-d"], "unknown option '--token'"],
    [["call", "provider-d", "listBrands", "--token=123456789"], "unknown endpoint 'listBrands'"],
    [["submissions", "ask", "--token=123456789", "1"], "unknown option '--token'"],
    [["submissions", "ask", "123456789"], "must be the id of a submission"],
    [["call", "provider-d", "123456789"], "unknown endpoint\n"],
    [["call", "123456789"], "unknown provider\n"],
    [["call", "provider-d", "--123456789"], "unknown option\n"],
    [["routes", "123456789"], "unknown provider\n"],
    [["routes", "--kind", "123456789"], "Allowed choices are"],
    [["123456789"], "unknown command\n"],
    [["token", "--expires-in", "1234567890"], "positive whole number"],
  ])(
    "the error for an invalid command line contains no number from the command line: %j",
    async (parameters, words) => {
      const { code, stderr } = await run(parameters);
      expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
      expect(stderr).not.toMatch(/\d{9}/);
    },
  );

  it.each([
    [["call"], /^Providers:\n {2}provider-a +Provider A, motor$/m],
    [["call", "--timeout", "5"], /^Providers:$/m],
    [["call", "provider-d"], /^ {2}createApplication +\S.*\n( {22}.*\n)* {2}searchApplications /m],
    [["call", "--verbose", "provider-d"], /^ {2}createApplication /m],
  ])(
    "the command `call` lists the possible names if the provider or the endpoint is missing: %j",
    async (parameters, names) => {
      const { code, stderr, stdout } = await run(parameters);
      expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(names), ""]);
    },
  );

  it.each([
    [["call", "--timeout", "soon", "provider-a", "listBrands"], "positive number of seconds"],
    [["call", "provider-a", "--gateway=nowhere", "listBrands"], "--gateway must be an absolute"],
    [["call", "--gateway", nobody, "provider-a", "--timeout=9", "listBrand"], "unknown endpoint"],
  ])(
    "the command `call` accepts common flags before the endpoint: %j",
    async (parameters, words) => {
      const { code, stderr } = await run(parameters);
      expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
    },
  );
});

describe("the version", () => {
  it("the flag --version prints the version of the command-line package", async () => {
    expect(await run(["--version"])).toMatchObject({ code: 0, stdout: `${manifest.version}\n` });
  });
});
