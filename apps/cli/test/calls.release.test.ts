import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type SandboxGateway, startSandboxGateway } from "@insurance-gateway/running-gateway";
import { specificationRequests } from "@insurance-gateway/specification";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applicationFlags, type Run, runsIn } from "./program.ts";

let gateway: SandboxGateway;
let run: Run;

beforeAll(async () => {
  gateway = await startSandboxGateway();
  run = runsIn({ folder: gateway.folder.path, address: gateway.address });
});
afterAll(() => gateway.stop());

/** Returns the command-line flags for the fields of a value. */
function flagsOf(value: object, names: readonly string[] = []): readonly string[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = [...names, key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)];
    return typeof inner === "object"
      ? flagsOf(inner, path)
      : [`--${path.join("-")}`, String(inner)];
  });
}

/** A part of the expected answer to each of the seven calls. */
const signs: Readonly<Record<string, object>> = {
  listBrands: { items: expect.arrayContaining([{ code: "TOY", name: "Toyota" }]) },
  listCountries: { items: expect.arrayContaining([expect.objectContaining({ code: "GR" })]) },
  listVehicleUsages: { items: expect.arrayContaining([expect.objectContaining({ code: "00" })]) },
  createApplication: {
    applicationId: expect.stringMatching(/^D-\d{6}$/),
    holder: { afm: "123456789", fullName: "Μαρία Παπαδοπούλου" },
  },
  calculatePensionQuote: { durationYears: 20, monthlyContribution: "100.00" },
  searchApplications: { start: 1, limit: 20, total: expect.any(Number) },
  downloadIpid: { file: "ipid.pdf", bytes: expect.any(Number), mediaType: "application/pdf" },
};

describe("the command `call` with a gateway process", () => {
  it.each(specificationRequests())(
    "the command `call` sends a request from its flags and prints the answer as JSON: $provider $endpoint",
    async ({ body = {}, endpoint, provider, query = {} }) => {
      const parameters = [...flagsOf(query), ...flagsOf(body)];
      const { code, stdout } = await run(["call", provider, endpoint, ...parameters]);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject(signs[endpoint] ?? {});
    },
  );

  const posts = specificationRequests().filter(({ method }) => method === "POST");

  it.each(posts)(
    "the command `call` reads a complete body from a file or from standard input: $provider $endpoint",
    async ({ body = {}, endpoint, provider }) => {
      const input = JSON.stringify(body);
      writeFileSync(join(gateway.folder.path, "body.json"), input);
      for (const [source, given] of [
        ["body.json", ""],
        ["-", input],
      ] as const) {
        const parameters = ["call", provider, endpoint, "--body", source];
        const { code, stdout } = await run(parameters, { input: given });
        expect([source, code]).toEqual([source, 0]);
        expect(JSON.parse(stdout)).toMatchObject(signs[endpoint] ?? {});
      }
    },
  );

  it("a flag of the command `call` replaces a value in the body that --body names", async () => {
    const input = JSON.stringify(posts[0]?.body);
    const { stdout } = await run(
      ["call", "provider-d", "createApplication", "--body=-", "--vehicle-model-code", "AURIS"],
      { input },
    );
    expect(JSON.parse(stdout)).toMatchObject({
      vehicle: { plateNumber: "ΙΚΥ1234", manufacturerCode: "TOY", modelCode: "AURIS" },
    });
  });

  it("the command `call` prints a list as a table with aligned columns, even with Greek texts", async () => {
    const { stdout } = await run(["call", "provider-c", "listVehicleUsages", "--output", "table"]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^code {2}name +nameEl +category$/);
    const column = lines[0]?.indexOf("category") ?? 0;
    expect(lines.length).toBeGreaterThan(5);
    for (const line of lines.slice(1)) expect(line.slice(column - 2)).toMatch(/^ {2}[A-Z_]+$/);
    expect(stdout).not.toContain("\u001b");
  });

  it("the command `call` prints an object as a table of two columns, and the object's lists below this table", async () => {
    const { stdout } = await run([
      "call",
      "provider-e",
      "calculatePensionQuote",
      "--person-dob=1985-06-15",
      "--monthly-contribution=100",
      "--duration-years=20",
      "--output=table",
    ]);
    expect(stdout).toMatch(/^costs\.entry +10\.00$/m);
    expect(stdout).toMatch(
      /\n\nscenarios\nname +annualReturnPercent +capitalAtMaturity +monthlyPension\n/,
    );
    expect(stdout).toMatch(/^MODERATE +2\.00 +27468\.47 +138\.49$/m);
  });

  it("the command `call` prints the first page of a search, or every page with --all", async () => {
    const afm = "000000115";
    const search = ["call", "provider-d", "searchApplications", "--client-afm", afm];
    for (const model of ["A", "B", "C"])
      await run([
        "call",
        "provider-d",
        "createApplication",
        ...applicationFlags(afm),
        "--idempotency-key",
        `key-${model}`,
      ]);
    const first = JSON.parse((await run([...search, "--limit", "2"])).stdout);
    expect([first.items.length, first.limit, first.total]).toEqual([2, 2, 3]);
    const all = await run([...search, "--limit", "1", "--all", "--verbose"]);
    const { items, start, total } = JSON.parse(all.stdout);
    expect([items.length, start, total]).toEqual([3, 1, 3]);
    expect(all.stderr.match(/^GET \/provider-d\/applications\/search$/gm)).toHaveLength(3);
    expect((await run([...search, "--start", "4", "--output", "table"])).stdout).toBe(
      "Nothing found.\n\nstart  4\nlimit  20\ntotal  3\n",
    );
  });

  it("the command `call` uses the token of GATEWAY_TOKEN and the address of --gateway", async () => {
    const refused = await run(["call", "provider-a", "listBrands"], {
      environment: { GATEWAY_TOKEN: "not.a.token" },
    });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("UNAUTHENTICATED")]);
    const served = await run(["call", "provider-a", "listBrands", "--gateway", gateway.address], {
      environment: { GATEWAY_TOKEN: gateway.token, GATEWAY_URL: "http://127.0.0.1:1" },
    });
    expect(served.code).toBe(0);
  });

  it("the flag --scenario selects a scenario of the simulated insurer", async () => {
    const { stdout } = await run([
      "call",
      "provider-d",
      "createApplication",
      ...applicationFlags("123456789"),
      "--scenario=DECLINED",
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ status: "DECLINED" });
  });

  it("the flag --verbose prints the headers of the answer, but no content of the request", async () => {
    const afm = "987654321";
    const { stderr } = await run(
      ["call", "provider-d", "searchApplications", "--client-afm", afm, "--verbose"],
      { environment: { GATEWAY_TOKEN: gateway.token } },
    );
    expect(stderr).toMatch(/^GET \/provider-d\/applications\/search\n {2}200 after \d+ ms$/m);
    for (const name of ["x-request-id", "server-timing", "ratelimit", "ratelimit-policy"])
      expect(stderr).toMatch(new RegExp(`^  ${name}: \\S+`, "m"));
    const created = await run(
      ["call", "provider-d", "createApplication", ...applicationFlags(afm), "--verbose"],
      { environment: { GATEWAY_TOKEN: gateway.token } },
    );
    for (const secret of [gateway.token, "Bearer", afm, "Ελένη", "ΙΚΥ-1234"])
      expect(stderr + created.stderr).not.toContain(secret);
  });
});
