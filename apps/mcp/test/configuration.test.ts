import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pdf } from "@insurance-gateway/core/contract";
import { describe, expect, it } from "vitest";
import { type CommandLine, configure } from "../src/configuration/configuration.ts";
import { folderWith, installedFiles, lookupDeclaration } from "./harness/installed-providers.ts";
import { startSimulatedGateway } from "./harness/simulated-gateway.ts";

const usual: CommandLine = { gateway: "http://127.0.0.1:9", confirm: "person" };

/** Creates a folder with two providers. The first provider has an endpoint of each kind except search. */
function twoProviders(): string {
  const endpoint = (kind: string, method = "GET"): object => ({
    ...lookupDeclaration("provider-m", `/${kind}`),
    kind,
    method,
  });
  const { response: _, ...document } = {
    response: {},
    ...endpoint("document"),
    files: [pdf],
  };
  return folderWith({
    ...installedFiles("provider-m", {
      endpoints: {
        listThings: lookupDeclaration("provider-m"),
        readThing: endpoint("read"),
        quoteThing: endpoint("quote"),
        downloadThing: document,
        createThing: endpoint("submission", "POST"),
      },
    }),
    ...installedFiles("provider-n", { endpoints: { listThings: lookupDeclaration("provider-n") } }),
  });
}

async function faultsOf(
  options: Partial<CommandLine>,
  environment: Parameters<typeof configure>[1] = { GATEWAY_TOKEN: "t" },
): Promise<readonly string[]> {
  const error: unknown = await configure(
    { ...usual, ...options },
    environment,
    twoProviders(),
  ).then(
    () => ({ faults: [] }),
    (thrown: unknown) => thrown,
  );
  // Another error has no faults, so the comparison fails.
  return (error as { faults: readonly string[] }).faults;
}

const noToken =
  "GATEWAY_TOKEN is not set: set it to the gateway's bearer token, or set GATEWAY_TOKEN_FILE to the name of a file with the token; there is no option for the token";
const twoTokens = "GATEWAY_TOKEN and GATEWAY_TOKEN_FILE are both set: unset one";
const noFile = "GATEWAY_TOKEN_FILE must name a readable file with a token";
const noAddress = "--gateway, or GATEWAY_URL, must be an absolute http or https address";

describe("the token of the MCP server", () => {
  it.each([
    ["no token", {}, [noToken]],
    ["a blank token", { GATEWAY_TOKEN: " ", GATEWAY_TOKEN_FILE: "\t" }, [noToken]],
    ["a token in two places", { GATEWAY_TOKEN: "t", GATEWAY_TOKEN_FILE: "f" }, [twoTokens]],
    ["a missing file", { GATEWAY_TOKEN_FILE: "/nowhere/token" }, [noFile]],
    ["a valid file", { GATEWAY_TOKEN: " ", GATEWAY_TOKEN_FILE: import.meta.filename }, []],
    ["a valid text", { GATEWAY_TOKEN: "t", GATEWAY_TOKEN_FILE: " " }, []],
  ])(
    "the MCP server reports the faults of its token variables: %s",
    async (_, environment, faults) => {
      expect(await faultsOf({}, environment)).toEqual(faults);
    },
  );

  it("the MCP server refuses a token file that contains only white space", async () => {
    const file = join(folderWith({ token: " \n" }), "token");
    expect(await faultsOf({}, { GATEWAY_TOKEN_FILE: file })).toEqual([noFile]);
  });
});

describe("the configuration of the MCP server", () => {
  it.each<[Partial<CommandLine>, readonly string[]]>([
    [{}, []],
    [{ segment: { "provider-m": "acme" } }, []],
    [{ gateway: "gateway.example" }, [noAddress]],
    [
      { gateway: "http://user@gateway.example" },
      ["--gateway, or GATEWAY_URL, must have no credentials, query or fragment"],
    ],
    [
      { gateway: "", segment: { "provider-m": "a/b" } },
      [noAddress, "--segment of provider-m must be one path segment"],
    ],
    [
      { gateway: "", provider: ["nowhere"], segment: { "provider-z": "acme" } },
      [noAddress, expect.stringMatching(/^nowhere is not installed in /)],
    ],
    [
      { gateway: "", segment: { "provider-z": "acme", "provider-m": "acme" } },
      [noAddress, "--segment: provider-z is not one of the providers (provider-m, provider-n)"],
    ],
    [
      { provider: ["@insurance-gateway/provider-n"], segment: { "provider-m": "acme" } },
      ["--segment: provider-m is not one of the providers (provider-n)"],
    ],
    [
      { tool: ["provider-m_*", "provider.m_*", "listThings"] },
      [
        "--tool: pattern 2 matches no tool; --allow adds kinds, and no tool sends a file",
        "--tool: pattern 3 matches no tool; --allow adds kinds, and no tool sends a file",
      ],
    ],
  ])(
    "the MCP server reports all faults of its command-line options together: %j",
    async (options, faults) => {
      expect(await faultsOf(options)).toEqual(faults);
    },
  );

  it.each<[Partial<CommandLine>, readonly string[]]>([
    [{}, ["provider-m_listThings", "provider-m_quoteThing", "provider-n_listThings"]],
    [
      { allow: ["submission", "document"] },
      [
        "provider-m_listThings",
        "provider-m_quoteThing",
        "provider-m_downloadThing",
        "provider-m_createThing",
        "provider-n_listThings",
      ],
    ],
    [{ allow: ["read"], tool: ["*_read*"] }, ["provider-m_readThing"]],
    [
      { tool: ["*_listThings", "provider-m_q*"] },
      ["provider-m_listThings", "provider-m_quoteThing", "provider-n_listThings"],
    ],
    [{ provider: ["@insurance-gateway/provider-n"] }, ["provider-n_listThings"]],
  ])("the MCP server's command-line options %j select the tools %j", async (options, names) => {
    const all = { ...usual, ...options };
    const { confirm, tools } = await configure(all, { GATEWAY_TOKEN: "t" }, twoProviders());
    expect([confirm, tools.map(({ name }) => name)]).toEqual(["person", names]);
  });

  it("the MCP server calls the gateway with the token and reads the token file again after the gateway refused the token", async () => {
    const none = '{"items":[],"at":"2026-11-01T00:00:00.000Z"}';
    const arrivals: unknown[] = [];
    let refused = "";
    const gateway = await startSimulatedGateway(({ headers, url }, response) => {
      arrivals.push([url, headers.authorization]);
      if (headers.authorization === refused) return void response.writeHead(401).end();
      response.writeHead(200, { "content-type": "application/json" }).end(none);
    });
    const folder = twoProviders();
    const file = join(folder, "token");
    writeFileSync(file, " first\n");
    for (const environment of [{ GATEWAY_TOKEN: " text " }, { GATEWAY_TOKEN_FILE: ` ${file} ` }]) {
      const configured = await configure({ ...usual, gateway }, environment, folder);
      await configured.gateway.providers();
      writeFileSync(file, "second");
      refused = "Bearer first";
      await configured.gateway.providers();
      writeFileSync(file, "first");
      refused = "";
      await configured.gateway.close();
    }
    expect(arrivals).toEqual([
      ["/providers", "Bearer text"],
      ["/providers", "Bearer text"],
      ["/providers", "Bearer first"],
      ["/providers", "Bearer first"],
      ["/providers", "Bearer second"],
    ]);
  });
});
