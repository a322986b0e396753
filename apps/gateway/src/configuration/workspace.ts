import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigurationError } from "./configuration-error.ts";

/** The keyword by which tools know a provider's package. */
const KEYWORD = "insurance-gateway-provider";

/**
 * The configuration of a workspace without a configuration file: every provider that declares an endpoint
 * (one that does not is private), each with its sandbox.
 * @throws ConfigurationError when the folder is no workspace
 */
export function workspaceConfiguration(folder: string): unknown {
  const packages = join(folder, "packages");
  if (!existsSync(join(folder, "pnpm-workspace.yaml")) || !existsSync(packages))
    throw new ConfigurationError(folder, [
      "there is no gateway.config.json here; write one, or name it with GATEWAY_CONFIG",
    ]);
  const providers = readdirSync(packages)
    .map((name) => manifestOf(join(packages, name)))
    .filter((manifest) => manifest?.keywords?.includes(KEYWORD) && manifest.private !== true)
    .map((manifest) => ({ package: manifest?.name, upstream: "sandbox" }));
  return { providers };
}

interface Manifest {
  readonly name?: string;
  readonly private?: boolean;
  readonly keywords?: readonly string[];
}

function manifestOf(folder: string): Manifest | null {
  const file = join(folder, "package.json");
  // A package.json of this workspace, which pnpm has read before.
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Manifest) : null;
}
