import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { GatewayFolder } from "@insurance-gateway/running-gateway";

/** Provider package of provider D, with applications and renewals of the same form. One search finds both. */
const PACKAGE = `
import { providerD } from "@insurance-gateway/provider-d";
const { createApplication, searchApplications } = providerD.endpoints;
const renewApplication = { ...createApplication, path: "/renewals" };
export const provider = {
  ...providerD,
  endpoints: { createApplication, renewApplication, searchApplications },
};`;

/** Installs the package in a gateway's folder, and returns the package's name. */
export function installRenewals(folder: GatewayFolder): string {
  const name = "renewals";
  const installed = join(folder.path, "node_modules", name);
  mkdirSync(installed);
  const manifest = {
    type: "module",
    exports: { ".": "./index.js", "./package.json": "./package.json" },
  };
  writeFileSync(join(installed, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(installed, "index.js"), PACKAGE);
  return name;
}
