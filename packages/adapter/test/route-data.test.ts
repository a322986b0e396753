import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  defineProvider,
  lookup,
  type Provider,
  type Schema,
  submission,
} from "@insurance-gateway/core/contract";
import { loose, strict, text, zod } from "@insurance-gateway/core/schema";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod/mini";
import { loadProviderPackage, routeDataOf } from "../src/installation/index.ts";
import { providerOf } from "../src/installation/route-data.ts";

interface Named {
  name: string;
}
const named = loose<Named>({ name: text() });

interface Tree {
  branches: Tree[];
}
const tree: Schema<Tree> = loose<Tree>({
  get branches() {
    return z.array(zod(tree));
  },
});
const provider: Provider = defineProvider({
  id: "provider-m",
  name: "M",
  lines: ["motor"],
  settings: strict<Named>({ name: text() }),
  endpoints: {
    list: lookup<{ query: Named; response: Named }>({
      provider: "provider-m",
      path: "/names",
      query: named,
      response: { 200: named },
    }),
    create: submission<{ body: Named; response: Named }>({
      provider: "provider-m",
      path: "/names",
      body: named,
      response: { 201: named },
      insurerId: "/name",
      idempotency: "reconcile",
      reconcile: {
        endpoint: "list",
        parameters: { name: { from: "/name" } },
        createdAt: "/at",
      },
      same: [{ at: "/name", normaliser: { name: "upper", normalise: String, examples: [] } }],
    }),
  },
});
/** The provider's description, written as JSON and read again. */
const data = JSON.parse(JSON.stringify(routeDataOf(provider)));

describe("a provider that is created from its description", () => {
  it("a provider that is created from gateway.json has all routes, but loads the declarations only when a schema is first read", () => {
    const made = providerOf(data, () => {
      throw new Error("loaded");
    });
    expect(made).toMatchObject({ id: "provider-m", name: "M", lines: ["motor"] });
    expect(made.endpoints.create).toMatchObject({
      kind: "submission",
      method: "POST",
      path: "/names",
      insurerId: "/name",
    });
    expect("query" in Object(made.endpoints.list)).toBe(true);
    expect("body" in Object(made.endpoints.list)).toBe(false);
    expect(() => made.endpoints.list?.query).toThrow("loaded");
    expect(() => made.settings).toThrow("loaded");
  });

  it("a provider that is created from gateway.json equals the declared provider after the declarations are loaded", () => {
    const made = providerOf(data, () => provider);
    expect({ ...made.endpoints.list }).toEqual({ ...provider.endpoints.list });
    expect({ ...made.endpoints.create }).toEqual({ ...provider.endpoints.create });
    expect(made.endpoints.create?.body).toBe(provider.endpoints.create?.body);
    expect(made.settings).toBe(provider.settings);
    expect(Object.isFrozen(made.endpoints.list)).toBe(true);
  });

  it("the content of a provider's gateway.json can be created even if a schema of the provider refers to itself", () => {
    const read = lookup<{ response: Tree }>({
      provider: "provider-m",
      path: "/tree",
      response: { 200: tree },
    });
    const endpoints = { read };
    const described = routeDataOf({ ...provider, endpoints });
    const made = providerOf(JSON.parse(JSON.stringify(described)), () => ({
      ...provider,
      endpoints,
    }));
    expect(made.endpoints.read?.response).toBe(read.response);
  });
});

describe("a provider package with a description", () => {
  /** Installs a package with a description in a new folder; `module` is the code with the declarations. */
  function installed(description: string, module: string): string {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "insurance-gateway-core-")));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const place = join(folder, "node_modules/provider-m");
    mkdirSync(place, { recursive: true });
    const exported = {
      ".": "./index.js",
      "./gateway": "./gateway.js",
      "./gateway.json": "./gateway.json",
      "./package.json": "./package.json",
    };
    const manifest = { name: "provider-m", type: "module", exports: exported };
    writeFileSync(join(place, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(place, "index.js"), "throw new Error('the declarations are not needed');");
    writeFileSync(join(place, "gateway.js"), module);
    writeFileSync(join(place, "gateway.json"), description);
    return folder;
  }

  it("the provider loader loads the declarations of a package with gateway.json only once, when a schema is first read", async () => {
    const module = `globalThis.loadedProviderM = (globalThis.loadedProviderM ?? 0) + 1;
export const m = { contract: 2, endpoints: { list: { query: "the query" }, create: {} } };`;
    const found = await loadProviderPackage(installed(JSON.stringify(data), module), "provider-m");
    const loads = (): unknown => Reflect.get(globalThis, "loadedProviderM");
    if ("fault" in found) throw new Error(found.fault);
    const { list } = found.provider.endpoints;
    expect(loads()).toBeUndefined();
    expect([list?.query, list?.query]).toEqual(["the query", "the query"]);
    expect(loads()).toBe(1);
  });

  it("the first read of a schema fails with the reason if the package's declarations cannot be loaded or differ from gateway.json", async () => {
    const queryOf = async (module: string): Promise<unknown> => {
      const folder = installed(JSON.stringify(data), module);
      const found = await loadProviderPackage(folder, "provider-m");
      return "fault" in found ? found : found.provider.endpoints.list?.query;
    };
    await expect(queryOf("throw new Error('no licence');")).rejects.toThrow(
      "provider-m cannot be loaded: no licence",
    );
    await expect(queryOf("export {};")).rejects.toThrow("provider-m/gateway exports no provider");
    await expect(queryOf("export const m = { contract: 2, endpoints: {} };")).rejects.toThrow(
      "has no endpoint list",
    );
  });

  it.each([
    ["not JSON", "{", "provider-m cannot be loaded: "],
    [
      "of another contract version",
      JSON.stringify({ ...data, provider: { code: [], data: { contract: 99 } } }),
      "provider-m is of another contract version than this program",
    ],
  ])(
    "the provider loader refuses a provider package whose gateway.json is %s",
    async (_, description, words) => {
      const folder = installed(description, "");
      expect(await loadProviderPackage(folder, "provider-m")).toEqual({
        fault: expect.stringContaining(words),
      });
    },
  );
});
