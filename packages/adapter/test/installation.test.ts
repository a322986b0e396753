import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { declared } from "../src/index.ts";
import { loadAdapter, loadProviderPackage, resolvePackageFile } from "../src/installation/index.ts";

const providerText = (contract: number): string =>
  `export const providerM = { contract: ${contract}, id: "provider-m", name: "M", lines: [], endpoints: {} };`;

/** Creates a folder with a package in the subfolder `place`; the folder is removed after the test. */
function folderWith(place: string, text: string, exported: object = { ".": "./index.js" }): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "insurance-gateway-core-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const manifest = { name: "provider-m", type: "module", exports: exported };
  const files = { "package.json": JSON.stringify(manifest), "index.js": text };
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, place, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return folder;
}

describe("a provider package", () => {
  it.each(["node_modules/provider-m", "packages/provider-m"])(
    "the provider loader finds a provider package in %s",
    async (place) => {
      const exported = { ".": "./index.js", "./package.json": "./package.json" };
      const folder = folderWith(place, providerText(2), exported);
      expect(await loadProviderPackage(folder, "provider-m")).toEqual({
        provider: expect.objectContaining({ id: "provider-m" }),
        folder: join(folder, place),
      });
      expect(resolvePackageFile(folder, "provider-m")).toBe(join(folder, place, "index.js"));
      expect(resolvePackageFile(folder, "provider-m", "/sandbox")).toBeNull();
    },
  );

  it("the provider loader searches no other installation for a module if the first package that it finds does not export the module", () => {
    const folder = folderWith("packages/provider-m", providerText(2));
    const other = join(folder, "node_modules/provider-m");
    mkdirSync(other, { recursive: true });
    writeFileSync(join(other, "package.json"), '{ "exports": { "./adapter": "./adapter.js" } }');
    writeFileSync(join(other, "adapter.js"), "");
    expect(resolvePackageFile(folder, "provider-m", "/adapter")).toBeNull();
  });

  it("the provider loader returns no folder for a provider package that does not export the package's package.json", async () => {
    const folder = folderWith("node_modules/provider-m", providerText(2));
    expect(await loadProviderPackage(folder, "provider-m")).toMatchObject({ folder: null });
  });

  it.each([
    [
      "another contract version",
      providerText(99),
      "provider-m is of another contract version than this program; install",
    ],
    ["no provider", "export const nothing = 1;", "provider-m exports no provider"],
    [
      "an endpoint of another provider",
      `${providerText(2)} providerM.endpoints.found = { kind: "lookup", method: "GET", provider: "provider-z", path: "/found", response: {} };`,
      "provider-m declares what cannot be served:\n- found: its `provider` must be provider-m, not provider-z",
    ],
    [
      "an incomplete endpoint",
      `${providerText(2)} providerM.endpoints.found = { kind: "lookup" };`,
      "provider-m declares what cannot be served:\n- it cannot be checked: ",
    ],
    [
      "code that throws an error",
      "throw new Error('no licence');",
      "provider-m cannot be loaded: no licence",
    ],
  ])(
    "the provider loader reports the fault of a provider package with %s",
    async (_, text, words) => {
      const folder = folderWith("node_modules/provider-m", text);
      expect(await loadProviderPackage(folder, "provider-m")).toEqual({
        fault: expect.stringContaining(words),
      });
    },
  );

  it("the fault of a missing provider package names the command that installs the package", async () => {
    const folder = folderWith("node_modules/provider-m", providerText(2));
    expect(await loadProviderPackage(folder, "provider-x")).toEqual({
      fault: `provider-x is not installed in ${folder}; run npm install provider-x there`,
    });
  });
});

describe("the adapter of a provider package", () => {
  const exported = { ".": "./index.js", "./adapter": "./index.js" };
  const adapterIn = (text: string, exports: object = exported): ReturnType<typeof loadAdapter> =>
    loadAdapter(folderWith("node_modules/provider-m", text, exports), "provider-m");

  it("the provider loader uses the package's first adapter, or the adapter of the declared contract if the configuration selects `declared`", async () => {
    const text =
      'export const none = null; export const other = { call() {} }; export const own = { name: "own", failures: [], call() {} };';
    expect(await adapterIn(text)).toMatchObject({ name: "own", failures: [] });
    const folder = folderWith("node_modules/provider-m", text, exported);
    expect(await loadAdapter(folder, "provider-m", "declared")).toBe(declared);
  });

  it("the provider loader uses the adapter of the declared contract if the provider package has no `./adapter`", async () => {
    expect(await adapterIn("", { ".": "./index.js" })).toBe(declared);
  });

  it("the provider loader reports a provider package's adapter module that exports no adapter or throws an error", async () => {
    expect(await adapterIn("export const own = { failures: [] };")).toEqual({
      fault: "provider-m/adapter exports no adapter",
    });
    expect(await adapterIn("throw new Error('no licence');")).toEqual({
      fault: "provider-m/adapter cannot be loaded: no licence",
    });
  });
});
