import { describe, expect, it } from "vitest";
import { nameProvider } from "../src/naming.ts";
import { readTemplate, renderTemplate } from "../src/template.ts";

describe("renderTemplate", () => {
  it("fills every placeholder of the template", () => {
    const files = renderTemplate(readTemplate(), nameProvider("acme-life", "Acme Life"));
    const all = [...files.values()].join("\n");
    expect(all).not.toMatch(/\{\{|\}\}(?!\))/);
    expect(all).toContain("export const acmeLife: Provider<typeof endpoints>");
    expect(all).toContain("/** The simulated insurer behind Acme Life. */");
    expect(all).not.toMatch(/provider-[a-w]\b/);
  });

  it("writes a manifest that is private and known as a provider's", () => {
    const files = renderTemplate(readTemplate(), nameProvider("provider-x"));
    expect(JSON.parse(files.get("package.json") ?? "")).toMatchObject({
      name: "@insurance-gateway/provider-x",
      private: true,
      version: "1.0.0",
      keywords: ["insurance-gateway-provider"],
      peerDependencies: { "@insurance-gateway/core": "^1.0.0" },
    });
  });

  it("fails on a placeholder that nothing fills", () => {
    const template = new Map([["README.md", "{{nothing}}"]]);
    expect(() => renderTemplate(template, nameProvider("provider-x"))).toThrow(
      "Nothing fills {{nothing}}",
    );
  });
});
