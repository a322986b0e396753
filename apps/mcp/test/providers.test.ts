import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadProviders } from "../src/configuration/providers.ts";
import { createTools, listedTool } from "../src/tools/endpoint-tools.ts";
import {
  folderWith,
  installedFiles,
  lookupDeclaration,
  providerFiles,
} from "./harness/installed-providers.ts";

const found = async (folder: string): Promise<readonly string[]> =>
  (await loadProviders(folder, undefined)).map(({ provider }) => provider.id);

describe("installed providers", () => {
  it("the MCP server finds every installed provider with an endpoint, even in parent folders", async () => {
    const folder = folderWith({
      ...installedFiles("provider-m", {
        endpoints: { listThings: lookupDeclaration("provider-m") },
      }),
      ...installedFiles("provider-n"),
      ...installedFiles("core", { endpoints: { listThings: lookupDeclaration("core") } }),
      "below/package.json": "{}",
    });
    expect(await found(join(folder, "below"))).toEqual(["provider-m"]);
  });

  it("the MCP server finds the public provider packages of a workspace", async () => {
    const endpoints = { listThings: lookupDeclaration("provider-m") };
    const folder = folderWith({
      "pnpm-workspace.yaml": "packages: [packages/*]",
      ...providerFiles("packages/provider-m", "@insurance-gateway/provider-m", { endpoints }),
      ...providerFiles("packages/provider-n", "@insurance-gateway/provider-n", {
        endpoints,
        manifest: { private: true },
      }),
    });
    expect(await found(folder)).toEqual(["provider-m"]);
  });

  it("the MCP server refuses two packages that declare the same provider, regardless of their order", async () => {
    const endpoints = { listThings: lookupDeclaration("provider-m") };
    const folder = folderWith({
      ...installedFiles("provider-m", { endpoints }),
      ...providerFiles("node_modules/@other/provider-m", "@other/provider-m", { endpoints }),
    });
    const names = ["@insurance-gateway/provider-m", "@other/provider-m"];
    for (const [first = "", second = ""] of [names, names.toReversed()])
      await expect(loadProviders(folder, [first, second])).rejects.toMatchObject({
        faults: [`${second}: another package already has the provider provider-m`],
      });
    // A package that is named twice is loaded only once.
    const [only, ...more] = await loadProviders(folder, [names[0] ?? "", names[0] ?? ""]);
    expect([only?.provider.id, more]).toEqual(["provider-m", []]);
  });

  it("the MCP server reports the faults of all selected provider packages in one error", async () => {
    const folder = folderWith({
      ...installedFiles("provider-m", { contract: 99 }),
      ...installedFiles("provider-n"),
      ...providerFiles("node_modules/no-provider", "no-provider"),
      "node_modules/no-provider/index.js": "export const nothing = 1;",
      ...providerFiles("node_modules/broken", "broken"),
      "node_modules/broken/index.js": "throw new Error('no licence');",
    });
    const names = [
      "@insurance-gateway/provider-m",
      "@insurance-gateway/provider-n",
      "no-provider",
      "broken",
      "../broken",
      "absent",
    ];
    await expect(loadProviders(folder, names)).rejects.toMatchObject({
      faults: [
        "@insurance-gateway/provider-m is of another contract version than this program; install versions that fit together",
        "@insurance-gateway/provider-n declares no endpoint yet",
        "no-provider exports no provider",
        "broken cannot be loaded: no licence",
        "--provider must name packages",
        `absent is not installed in ${folder}; run npm install absent there`,
      ],
    });
  });

  it("the MCP server refuses to start if no provider is installed", async () => {
    const folder = folderWith({});
    await expect(loadProviders(folder, undefined)).rejects.toMatchObject({
      faults: [
        `no @insurance-gateway/provider-* is installed in ${folder}: run npm install there, or start the server in the folder that has them`,
      ],
    });
  });

  it("the MCP server sorts the providers by name and uses a provider only once, even if several folders contain the provider", async () => {
    const own = (id: string): Record<string, string> =>
      installedFiles(id, { endpoints: { listThings: lookupDeclaration(id) } });
    const folder = folderWith({
      ...own("provider-n"),
      ...own("provider-m"),
      ...Object.fromEntries(
        Object.entries(own("provider-n")).map(([name, text]) => [`below/${name}`, text]),
      ),
      "node_modules/@insurance-gateway/provider-empty/README.md": "It has no manifest.",
    });
    expect(await found(join(folder, "below"))).toEqual(["provider-m", "provider-n"]);
  });
});

describe("tools", () => {
  async function toolsIn(files: Record<string, string>): Promise<ReturnType<typeof createTools>> {
    return createTools(await loadProviders(folderWith(files), undefined), ["lookup", "quote"]);
  }

  it("a tool's description comes from the endpoint's declaration if the package has no reference documentation", async () => {
    const endpoints = { listThings: lookupDeclaration("provider-m") };
    const [tool] = await toolsIn(installedFiles("provider-m", { endpoints }));
    expect(tool?.title).toBe("The provider-m: List things");
    expect(tool?.description).toBe(
      [
        "List things.",
        "The provider-m (motor, life insurance), lookup, GET /things.",
        "Reads reference data, which is the same for every customer. Nothing changes at the insurer.",
      ].join("\n"),
    );
  });

  it("a tool and its input fields have the descriptions of the package's reference documentation", async () => {
    const endpoints = `{ calculate: { kind: "quote", provider: "provider-m", method: "POST", path: "/quotes",
      body: strict({ age: count(), cars: zodSchema(z.array(zod(strict({ plate: text() })))) }), response: { 200: { media: {} } } } }`;
    const source = new URL("../../../packages/core/src/schema/index.ts", import.meta.url).href;
    const files = installedFiles("provider-m");
    const name = "node_modules/@insurance-gateway/provider-m";
    const [tool] = await toolsIn({
      ...files,
      [`${name}/index.js`]: `import { count, zodSchema, strict, text, zod } from ${JSON.stringify(source)};
        import * as z from ${JSON.stringify(import.meta.resolve("zod/mini"))};
        export const provider = { contract: 2, id: "provider-m", name: "M", lines: ["motor"], endpoints: ${endpoints} };`,
      [`${name}/dist/reference/openapi.json`]: JSON.stringify(reference),
    });
    expect(tool?.title).toBe("M: Calculates a premium");
    expect(tool?.description.split("\n").slice(0, 3)).toEqual([
      "Calculates a premium.",
      "It is good for a day.",
      "M (motor insurance), quote, POST /quotes.",
    ]);
    if (tool === undefined) throw new TypeError("There is no tool");
    expect(listedTool(tool, "code").inputSchema.properties).toMatchObject({
      body: {
        description: "What is insured.",
        properties: {
          age: { description: "In years." },
          cars: { items: { properties: { plate: { description: "As written." } } } },
        },
      },
    });
  });

  it("the MCP server rejects a tool name of more than 64 characters, and options that select no tool", async () => {
    const [longest, longer] = ["a".repeat(53), "a".repeat(54)];
    const endpoints = { [longest]: lookupDeclaration("provider-m") };
    const [tool] = await toolsIn(installedFiles("provider-m", { endpoints }));
    expect(tool?.name).toHaveLength(64);
    const over = { [longer]: lookupDeclaration("provider-m") };
    await expect(toolsIn(installedFiles("provider-m", { endpoints: over }))).rejects.toMatchObject({
      faults: [
        `provider-m_${longer} is not a valid tool name: use at most 64 letters, digits, _ and -`,
      ],
    });
    const read = { readThing: { ...lookupDeclaration("provider-m"), kind: "read" } };
    await expect(toolsIn(installedFiles("provider-m", { endpoints: read }))).rejects.toMatchObject({
      faults: ["no provider has an endpoint of the kinds lookup, quote; --allow adds kinds"],
    });
  });
});

const reference = {
  paths: {
    "/provider-m/quotes": {
      post: {
        operationId: "calculate",
        summary: "Calculates a premium",
        description: "Calculates a premium.\n\nIt is good for a day.",
        requestBody: {
          content: { "application/json": { schema: { $ref: "#/components/schemas/Risk" } } },
        },
      },
    },
  },
  components: {
    schemas: {
      Risk: {
        description: "What is insured.",
        properties: {
          age: { description: "In years." },
          cars: { items: { $ref: "#/components/schemas/Car" } },
        },
      },
      Car: { properties: { plate: { description: "As written." } } },
    },
  },
};
