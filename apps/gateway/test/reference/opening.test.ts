import { mkdirSync, mkdtempSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { providerD } from "@insurance-gateway/provider-d";
import { afterEach, expect, it } from "vitest";
import type { Configuration } from "../../src/configuration/load.ts";
import type { InstalledProvider } from "../../src/configuration/providers.ts";
import { configurationSchema } from "../../src/configuration/schema.ts";
import { openReference } from "../../src/reference/open-reference.ts";

const folder = mkdtempSync(join(tmpdir(), "reference-"));

afterEach(() => rmSync(folder, { recursive: true }));

it("opens again for the next request after an error", async () => {
  const file = configurationSchema.parse({
    providers: [{ package: "x", upstream: "sandbox" }],
    reference: { served: true },
  });
  // A folder cannot be read as a file.
  const changelog = join(folder, "CHANGELOG.md");
  mkdirSync(changelog);
  // The reference reads no more of them.
  const configuration = { ...file, folder, workspace: false } as Configuration;
  // Pages read no more of a provider.
  const installed = {
    provider: providerD,
    folder,
    segment: "provider-d",
  } as Partial<InstalledProvider> as InstalledProvider;
  const opened = await openReference({
    configuration,
    installed: [installed],
    insurers: { scenarios: null },
    logger: { info() {}, warn() {}, error() {}, fatal() {} },
    listening: () => "http://127.0.0.1:1",
    startSecret: undefined,
  });
  const reference = opened?.with(configuration, null);
  await expect(reference?.find("GET", "/reference")).rejects.toThrow("EISDIR");
  rmdirSync(changelog);
  expect(await reference?.find("GET", "/reference")).toMatchObject({ template: "/reference" });
});
