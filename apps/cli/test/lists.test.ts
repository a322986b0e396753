import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type GatewayFolder, makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunInProcess, runsInProcess } from "./in-process.ts";

const packages = fileURLToPath(new URL("../../../packages", import.meta.url));

let folder: GatewayFolder;
let run: RunInProcess;

beforeAll(() => {
  folder = makeGatewayFolder({
    listen: { basePath: "/insurance" },
    providers: [
      {
        package: "@insurance-gateway/provider-d",
        segment: "acme",
        upstream: {
          baseUrl: "https://api.insurer.example/v2",
          adapter: "declared",
          credentials: { type: "bearer", token: { env: "NOT_SET_HERE" } },
        },
      },
      { package: "@insurance-gateway/provider-c", upstream: "sandbox" },
      { package: "@insurance-gateway/provider-e", upstream: "sandbox" },
    ],
  });
  run = runsInProcess({ folder: folder.path, address: "http://127.0.0.1:1" });
});
afterAll(() => folder.remove());

describe("the command `providers`", () => {
  it("the command `providers` lists each provider with the endpoints and the insurer, even if a secret is not set", async () => {
    const { code, stderr, stdout } = await run(["providers"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(
      [
        "id          segment     name        lines          endpoints               upstream",
        "provider-d  acme        Provider D  motor          1 submission, 1 search  https://api.insurer.example",
        "provider-c  provider-c  Provider C  motor          1 document, 1 lookup    sandbox",
        "provider-e  provider-e  Provider E  life, pension  1 quote                 sandbox",
        "",
      ].join("\n"),
    );
  });

  it("the command `providers` prints JSON with --json", async () => {
    const { stdout } = await run(["providers", "--json"]);
    expect(JSON.parse(stdout)[0]).toEqual({
      id: "provider-d",
      segment: "acme",
      name: "Provider D",
      lines: ["motor"],
      endpoints: { submission: 1, search: 1 },
      upstream: "https://api.insurer.example",
    });
  });

  it("the command `providers` marks each provider without endpoints in a workspace", async () => {
    const workspace = mkdtempSync(join(tmpdir(), "insurance-gateway-"));
    mkdirSync(join(workspace, "packages"));
    writeFileSync(join(workspace, "pnpm-workspace.yaml"), "");
    for (const name of ["core", "provider-a", "provider-f"])
      symlinkSync(join(packages, name), join(workspace, "packages", name));
    const here = runsInProcess({ folder: workspace, address: "" });
    expect((await here(["providers"])).stdout).toBe(
      [
        "id          segment     name        lines  endpoints                 upstream",
        "provider-a  provider-a  Provider A  motor  1 lookup                  sandbox",
        "provider-f  -           Provider F  -      declares no endpoint yet  -",
        "",
      ].join("\n"),
    );
    // With a configuration, the command lists only the providers of the configuration.
    const upstream = { baseUrl: "https://insurer.example" };
    const own = { providers: [{ package: "@insurance-gateway/provider-a", upstream }] };
    writeFileSync(join(workspace, "gateway.config.json"), JSON.stringify(own));
    expect((await here(["providers"])).stdout.split("\n")).toEqual([
      "id          segment     name        lines  endpoints  upstream",
      "provider-a  provider-a  Provider A  motor  1 lookup   https://insurer.example",
      "",
    ]);
    rmSync(workspace, { recursive: true });
  });

  it("the command `providers` ends with exit code 78 if the folder has no configuration", async () => {
    const empty = mkdtempSync(join(tmpdir(), "insurance-gateway-"));
    const { code, stderr } = await runsInProcess({ folder: empty, address: "" })(["providers"]);
    rmSync(empty, { recursive: true });
    expect([code, stderr]).toEqual([
      78,
      expect.stringContaining("no gateway.config.json in this folder"),
    ]);
  });
});

describe("the list of callable providers and endpoints", () => {
  it("the command `call` without an endpoint lists a provider by segment, and by ID if the ID is unique", async () => {
    const other = makeGatewayFolder({
      providers: [
        ["d", "acme"],
        ["a", "one"],
        ["a", "two"],
        ["c", "provider-e"],
        ["e", "other"],
        ["b", "provider-b"],
      ].map(([letter, segment]) => ({
        package: `@insurance-gateway/provider-${letter}`,
        segment,
        upstream: "sandbox",
      })),
    });
    const there = runsInProcess({ folder: other.path, address: "" });
    const [all, byId, bySegment, unknown] = [
      await there(["call"]),
      await there(["call", "provider-d"]),
      await there(["call", "acme"]),
      await there(["call", "provider-a"]),
    ];
    other.remove();
    const [, providers = ""] = all.stdout.split("Providers:\n");
    expect(providers.trimEnd().split("\n")).toEqual([
      "  acme|provider-d        Provider D, motor",
      "  one                    Provider A, motor",
      "  two                    Provider A, motor",
      "  provider-e|provider-c  Provider C, motor",
      "  other                  Provider E, life, pension",
      "  provider-b             Provider B, travel",
    ]);
    expect(byId).toEqual(bySegment);
    const [, endpoints = ""] = byId.stdout.split("Endpoints:\n");
    expect(endpoints.replaceAll(/\s+/g, " ").trim()).toBe(
      "createApplication Creates a motor application (submission: POST /acme/applications) searchApplications Finds a customer's applications, newest first (search: GET /acme/applications/search)",
    );
    expect([unknown.code, unknown.stdout]).toEqual([2, ""]);
    expect(unknown.stderr).toContain("unknown provider 'provider-a'");
  });
});

describe("the command `routes`", () => {
  it("the command `routes` lists each route with method, path, kind, endpoint, status and parameters", async () => {
    const { code, stdout } = await run(["routes"]);
    expect(code).toBe(0);
    const [head, ...rows] = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/));
    expect(head).toEqual(["method", "path", "kind", "endpoint", "status", "parameters"]);
    expect(rows).toEqual([
      [
        "POST",
        "/insurance/acme/applications",
        "submission",
        "createApplication",
        "201",
        "policy.startDate*, policy.endDate*, vehicle.plateNumber*, vehicle.manufacturerCode*, vehicle.modelCode*, holder.afm*, holder.fullName*",
      ],
      [
        "GET",
        "/insurance/acme/applications/search",
        "search",
        "searchApplications",
        "200",
        "clientAfm*, start, limit",
      ],
      [
        "GET",
        "/insurance/provider-c/application/ipid",
        "document",
        "downloadIpid",
        "200",
        "applicationId*",
      ],
      ["GET", "/insurance/provider-c/vehicle/usages", "lookup", "listVehicleUsages", "200", "-"],
      [
        "POST",
        "/insurance/provider-e/life/core/fast-pension-quote",
        "quote",
        "calculatePensionQuote",
        "200",
        "personDob*, monthlyContribution*, durationYears*",
      ],
    ]);
  });

  it("the command `routes` prints JSON with --json", async () => {
    const { stdout } = await run(["routes", "--kind", "search", "--json"]);
    expect(JSON.parse(stdout)).toEqual([
      {
        provider: "provider-d",
        endpoint: "searchApplications",
        kind: "search",
        method: "GET",
        path: "/insurance/acme/applications/search",
        parameters: [
          { in: "query", name: "clientAfm", required: true },
          { in: "query", name: "start", required: false },
          { in: "query", name: "limit", required: false },
        ],
        statuses: [200],
      },
    ]);
  });

  it.each([
    [["acme"], ["createApplication", "searchApplications"]],
    [["provider-d"], ["createApplication", "searchApplications"]],
    [["--kind", "document"], ["downloadIpid"]],
    [["--search", "CLIENTAFM"], ["searchApplications"]],
    [["provider-c", "--search", "usages"], ["listVehicleUsages"]],
    [["provider-c", "--kind", "quote"], []],
  ])(
    "the command `routes` lists only the routes that match the command's arguments: %j",
    async (parameters, endpoints) => {
      const { stdout } = await run(["routes", "--json", ...parameters]);
      const routes: { endpoint: string }[] = JSON.parse(stdout);
      expect(routes.map(({ endpoint }) => endpoint)).toEqual(endpoints);
    },
  );

  it("the command `routes` prints a sentence if no route matches", async () => {
    expect(await run(["routes", "--search", "nowhere"])).toMatchObject({
      code: 0,
      stdout: "No route matches.\n",
    });
  });

  it("the command `routes` suggests similar names for an unknown provider, and ends with exit code 2", async () => {
    const { code, stderr, stdout } = await run(["routes", "provider-x"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("unknown provider 'provider-x'");
    expect(stderr).toContain("(Did you mean one of provider-c, provider-e?)");
  });
});

describe("the commands `openapi` and `collections`", () => {
  it.each([
    [["openapi", "--address", "notaurl"], "--address must be an absolute http or https address"],
    [["openapi", "provider-c", "--address", "ftp://a.example/insurance"], "--address must be"],
    [["openapi", "--address", "https://u:p@a.example/insurance"], "must have no credentials"],
    [
      ["openapi", "--address", "https://a.example"],
      "must have the path of listen.basePath: /insurance",
    ],
    [["collections", "--address", "notaurl"], "--address must be an absolute"],
    [["collections", "--out", "gateway.config.json"], "gateway.config.json is a file"],
    [["collections", "--out", "gateway.config.json/x"], "cannot be created (ENOTDIR)"],
  ])(
    "the commands `openapi` and `collections` write nothing if a parameter is not valid: %j",
    async (parameters, words) => {
      const { code, stderr, stdout } = await run(parameters);
      expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(words)]);
    },
  );

  it("the command `openapi` writes the address of --address into an OpenAPI document", async () => {
    const { code, stdout } = await run([
      "openapi",
      "acme",
      "--address=https://a.example/insurance/",
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain('"https://a.example/insurance');
    expect(stdout).not.toContain("a.example/insurance//");
  });
});
