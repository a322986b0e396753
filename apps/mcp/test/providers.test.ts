import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadProviders } from "../src/configuration/providers.ts";
import { createTools, listedTool } from "../src/tools/endpoint-tools.ts";

/** A folder with these files; it is removed with the test. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "insurance-gateway-mcp-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return folder;
}

/** The files of a provider package in a place. */
function provider(
  place: string,
  name: string,
  {
    contract = 2,
    endpoints = {},
    manifest = {},
  }: { contract?: number; endpoints?: object; manifest?: object } = {},
): Record<string, string> {
  const id = name.replace(/^.*\//, "");
  const declared = { contract, id, name: `The ${id}`, lines: ["motor", "life"], endpoints };
  return {
    [`${place}/package.json`]: JSON.stringify({
      name,
      type: "module",
      exports: { ".": "./index.js", "./package.json": "./package.json" },
      ...manifest,
    }),
    [`${place}/index.js`]: `export const provider = ${JSON.stringify(declared)};`,
  };
}

const installed = (id: string, parts?: Parameters<typeof provider>[2]): Record<string, string> =>
  provider(`node_modules/@insurance-gateway/${id}`, `@insurance-gateway/${id}`, parts);

const lookup = (id: string, path = "/things"): object => ({
  kind: "lookup",
  provider: id,
  method: "GET",
  path,
  response: { 200: { media: {} } },
});

const found = async (folder: string): Promise<readonly string[]> =>
  (await loadProviders(folder, undefined)).map(({ provider }) => provider.id);

describe("the providers", () => {
  it("are the installed ones that declare an endpoint, also of the folders above", async () => {
    const folder = folderWith({
      ...installed("provider-m", { endpoints: { listThings: lookup("provider-m") } }),
      ...installed("provider-n"),
      ...installed("core", { endpoints: { listThings: lookup("core") } }),
      "below/package.json": "{}",
    });
    expect(await found(join(folder, "below"))).toEqual(["provider-m"]);
  });

  it("are those of a workspace's packages, but for private ones", async () => {
    const endpoints = { listThings: lookup("provider-m") };
    const folder = folderWith({
      "pnpm-workspace.yaml": "packages: [packages/*]",
      ...provider("packages/provider-m", "@insurance-gateway/provider-m", { endpoints }),
      ...provider("packages/provider-n", "@insurance-gateway/provider-n", {
        endpoints,
        manifest: { private: true },
      }),
    });
    expect(await found(folder)).toEqual(["provider-m"]);
  });

  it("are refused when two packages have the same one, whichever is named first", async () => {
    const endpoints = { listThings: lookup("provider-m") };
    const folder = folderWith({
      ...installed("provider-m", { endpoints }),
      ...provider("node_modules/@other/provider-m", "@other/provider-m", { endpoints }),
    });
    const names = ["@insurance-gateway/provider-m", "@other/provider-m"];
    for (const [first = "", second = ""] of [names, names.toReversed()])
      await expect(loadProviders(folder, [first, second])).rejects.toMatchObject({
        faults: [`${second}: another package has its provider provider-m already`],
      });
    // The same package, named twice, is one.
    const [only, ...more] = await loadProviders(folder, [names[0] ?? "", names[0] ?? ""]);
    expect([only?.provider.id, more]).toEqual(["provider-m", []]);
  });

  it("are refused with every fault", async () => {
    const folder = folderWith({
      ...installed("provider-m", { contract: 99 }),
      ...installed("provider-n"),
      ...provider("node_modules/no-provider", "no-provider"),
      "node_modules/no-provider/index.js": "export const nothing = 1;",
      ...provider("node_modules/broken", "broken"),
      "node_modules/broken/index.js": "throw new Error('no licence');",
    });
    const names = [
      "@insurance-gateway/provider-m",
      "@insurance-gateway/provider-n",
      "no-provider",
      "broken",
    ];
    await expect(loadProviders(folder, names)).rejects.toMatchObject({
      faults: [
        expect.stringContaining("provider-m is of another contract version"),
        "@insurance-gateway/provider-n declares no endpoint yet",
        "no-provider exports no provider",
        "broken cannot be loaded: no licence",
      ],
    });
  });
});

describe("a tool", () => {
  async function toolsIn(files: Record<string, string>): Promise<ReturnType<typeof createTools>> {
    return createTools(await loadProviders(folderWith(files), undefined), ["lookup", "quote"]);
  }

  it("is described by its declaration where there is no reference", async () => {
    const endpoints = { listThings: lookup("provider-m") };
    const [tool] = await toolsIn(installed("provider-m", { endpoints }));
    expect(tool?.title).toBe("The provider-m: List things");
    expect(tool?.description).toBe(
      [
        "List things.",
        "The provider-m (motor, life insurance), lookup, GET /things.",
        "Reads reference data, which is the same for every customer. Nothing changes at the insurer.",
      ].join("\n"),
    );
  });

  it("is described in the words of the reference where there is one, and so are its fields", async () => {
    const endpoints = `{ calculate: { kind: "quote", provider: "provider-m", method: "POST", path: "/quotes",
      body: strict({ age: count(), cars: zodSchema(z.array(zod(strict({ plate: text() })))) }), response: { 200: { media: {} } } } }`;
    const source = new URL("../../../packages/core/src/schema/index.ts", import.meta.url).href;
    const files = installed("provider-m");
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

  it("is refused when its name is longer than clients take, and when there is none", async () => {
    const endpoints = { ["a".repeat(54)]: lookup("provider-m") };
    await expect(toolsIn(installed("provider-m", { endpoints }))).rejects.toThrow("64 at most");
    const read = { readThing: { ...lookup("provider-m"), kind: "read" } };
    await expect(toolsIn(installed("provider-m", { endpoints: read }))).rejects.toThrow(
      "--allow adds kinds",
    );
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
