import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadProviderPackage } from "@insurance-gateway/adapter/installation";
import type { Provider } from "@insurance-gateway/core/contract";
import type { Configuration } from "./load.ts";

/** The keyword by which tools know a provider's package. */
const KEYWORD = "insurance-gateway-provider";

/**
 * The providers of a workspace that declare no endpoint yet: their packages are private, and nothing is served. They are
 * looked for only where there is no configuration file; one that cannot be loaded, because it is not built yet, is left out.
 */
export async function undeclaredProviders({
  folder,
  workspace,
}: Pick<Configuration, "folder" | "workspace">): Promise<readonly Provider[]> {
  const packages = join(folder, "packages");
  if (!workspace || !existsSync(packages)) return [];
  const found = await Promise.all(
    readdirSync(packages).map((name) => privateProvider(folder, join(packages, name))),
  );
  return found
    .filter((provider) => provider !== null)
    .filter(({ endpoints }) => Object.keys(endpoints).length === 0);
}

async function privateProvider(workspace: string, folder: string): Promise<Provider | null> {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return null;
  const manifest: unknown = JSON.parse(readFileSync(file, "utf8"));
  const { keywords, name, private: isPrivate }: Manifest = Object(manifest);
  const isProviders = Array.isArray(keywords) && keywords.includes(KEYWORD);
  if (isPrivate !== true || !isProviders || typeof name !== "string") return null;
  const found = await loadProviderPackage(workspace, name);
  return "fault" in found ? null : found.provider;
}

interface Manifest {
  readonly name?: unknown;
  readonly private?: unknown;
  readonly keywords?: unknown;
}
