import type { Provider } from "@insurance-gateway/core/contract";
import {
  type Environment,
  type InstalledProvider,
  loadDeclared,
  undeclaredProviders,
} from "@insurance-gateway/gateway/folder";
import { print } from "./output/print.ts";
import { safeJson } from "./output/safe-text.ts";
import { plainTable } from "./output/table.ts";

/** What the list says of a provider. */
interface ListedProvider {
  readonly id: string;
  /** Null for one that is not served. */
  readonly segment: string | null;
  readonly name: string;
  readonly lines: readonly string[];
  /** How many endpoints of each kind. */
  readonly endpoints: Readonly<Record<string, number>>;
  /** `sandbox`, or the origin of the insurer's address; null for one that is not served. */
  readonly upstream: string | null;
}

/**
 * Prints the providers of the configuration, and those that are installed without being served.
 * @param json - whether as JSON
 */
export async function listProviders(json: boolean): Promise<void> {
  const listed = await findProviders(process.env, process.cwd());
  await print(json ? safeJson(listed) : tableOf(listed));
}

async function findProviders(
  environment: Environment,
  folder: string,
): Promise<readonly ListedProvider[]> {
  const { configuration, installed } = await loadDeclared(environment, folder);
  const undeclared = await undeclaredProviders(configuration);
  return [...installed.map(served), ...undeclared.map(notServed)];
}

function served({ provider, segment, upstream }: InstalledProvider): ListedProvider {
  const { id, lines, name } = provider;
  const behind = "sandbox" in upstream ? "sandbox" : new URL(upstream.baseUrl).origin;
  return { id, segment, name, lines, endpoints: countsOf(provider), upstream: behind };
}

function notServed(provider: Provider): ListedProvider {
  const { id, lines, name } = provider;
  return { id, segment: null, name, lines, endpoints: countsOf(provider), upstream: null };
}

function countsOf({ endpoints }: Provider): ListedProvider["endpoints"] {
  const byKind = Map.groupBy(Object.values(endpoints), ({ kind }) => kind);
  return Object.fromEntries([...byKind].map(([kind, all]) => [kind, all.length]));
}

function tableOf(providers: readonly ListedProvider[]): string {
  const rows = providers.map(({ endpoints, id, lines, name, segment, upstream }) => [
    id,
    segment ?? "-",
    name,
    lines.join(", ") || "-",
    wordsOf(endpoints),
    upstream ?? "-",
  ]);
  return plainTable(["id", "segment", "name", "lines", "endpoints", "upstream"], rows).text;
}

function wordsOf(endpoints: ListedProvider["endpoints"]): string {
  const counts = Object.entries(endpoints).map(([kind, count]) => `${count} ${kind}`);
  return counts.join(", ") || "declares no endpoint yet";
}
