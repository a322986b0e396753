import { expect, it } from "vitest";
import { nameProvider } from "../src/naming.ts";
import { firstEndpointFiles, newPackage } from "../src/template.ts";

it("the generated files of a provider contain the provider's names in place of every placeholder", () => {
  const names = nameProvider("acme-life", "Acme Life");
  const all = [...newPackage(names).values(), ...firstEndpointFiles(names).values()].join("\n");
  expect(all).not.toMatch(/\{\{|\}\}(?!\))/);
  expect(all).toContain("export const acmeLife: Provider<typeof endpoints>");
  expect(all).toContain("/** The simulated insurer behind Acme Life. */");
  expect(all).not.toMatch(/provider-[a-w]\b/);
});

it("the package.json of a new provider is private and has the keyword by which the gateway finds providers", () => {
  const files = newPackage(nameProvider("provider-x"));
  expect(JSON.parse(files.get("package.json") ?? "")).toMatchObject({
    name: "@insurance-gateway/provider-x",
    private: true,
    version: "1.0.0",
    keywords: ["insurance-gateway-provider"],
    peerDependencies: { "@insurance-gateway/core": "^1.0.0" },
  });
});
