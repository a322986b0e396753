import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  developmentToken,
  type GatewayFolder,
  makeGatewayFolder,
  runCommand,
  sandboxConfiguration,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const packages = fileURLToPath(new URL("../../../../packages/", import.meta.url));

let folder: GatewayFolder;
beforeEach(() => {
  folder = makeGatewayFolder(sandboxConfiguration);
});
afterEach(() => folder.remove());

/** Replaces a provider's built package with a copy in which some files have other contents. */
function replace(id: string, files: Readonly<Record<string, string>>): void {
  const place = join(folder.path, "node_modules/@insurance-gateway", id);
  rmSync(place);
  cpSync(join(packages, id, "dist"), join(place, "dist"), { recursive: true });
  cpSync(join(packages, id, "package.json"), join(place, "package.json"));
  symlinkSync(join(packages, id, "node_modules"), join(place, "node_modules"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), text);
  }
}

describe("a gateway with broken provider packages", () => {
  it("`serve` names every package that the gateway cannot load", async () => {
    replace("provider-a", { "dist/adapter.js": "throw new Error('no licence');" });
    replace("provider-b", { "dist/gateway.json": "{" });
    const { code, stderr } = await runCommand(folder.path, ["serve"]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(
      "providers[0].package: @insurance-gateway/provider-a/adapter cannot be loaded: no licence",
    );
    expect(stderr).toContain(
      "providers[1].package: @insurance-gateway/provider-b cannot be loaded: ",
    );
    expect(stderr).not.toContain("    at ");
  });

  it("a gateway with a broken provider package serves every call and page that does not need the package", async () => {
    replace("provider-a", { "dist/gateway.js": "throw new Error('no licence');" });
    replace("provider-b", { "dist/reference/openapi.json": "{" });
    const authorization = `Bearer ${await developmentToken(folder.path)}`;
    const gateway = await startGatewayProcess(folder.path);
    const get = (path: string): Promise<Response> =>
      fetch(`${gateway.address}${path}`, { headers: { authorization } });
    try {
      const broken = await get("/provider-a/auto/brands");
      expect([broken.status, await broken.json()]).toMatchObject([500, { code: "INTERNAL_ERROR" }]);
      expect((await get("/provider-b/countries")).status).toBe(200);
      for (const id of ["provider-a", "provider-b", "provider-c"]) {
        const page = await get(`/reference/providers/${id}`);
        expect([id, page.status]).toEqual([id, 200]);
      }
      const lines = gateway
        .output()
        .split("\n")
        .filter((line) => line.startsWith("{"));
      expect(lines.map((line) => JSON.parse(line))).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ provider: "provider-a", endpoint: "listBrands", status: 500 }),
          expect.objectContaining({
            msg: "a provider's OpenAPI document cannot be used",
            provider: "provider-b",
          }),
        ]),
      );
    } finally {
      await gateway.stop();
    }
  });
});
