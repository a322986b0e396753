import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Provider } from "@insurance-gateway/core/contract";

/** The keyword by which tools know a provider's package. */
const KEYWORD = "insurance-gateway-provider";

/** The providers of a workspace that declare no endpoint yet: their packages are private, and nothing is served. */
export async function undeclaredProviders(folder: string): Promise<readonly Provider[]> {
  const packages = join(folder, "packages");
  if (!existsSync(packages)) return [];
  const found = await Promise.all(
    readdirSync(packages).map((name) => privateProvider(join(packages, name))),
  );
  return found.filter((provider) => provider !== null);
}

async function privateProvider(folder: string): Promise<Provider | null> {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return null;
  // A package.json of this workspace, which pnpm has read before.
  const manifest = JSON.parse(readFileSync(file, "utf8")) as Manifest;
  if (manifest.private !== true || !manifest.keywords?.includes(KEYWORD)) return null;
  const built = createRequire(file).resolve(manifest.name);
  const module: object = await import(pathToFileURL(built).href);
  return Object.values(module).find(isProvider) ?? null;
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly keywords?: readonly string[];
}

function isProvider(value: unknown): value is Provider {
  return typeof value === "object" && value !== null && "contract" in value && "endpoints" in value;
}
