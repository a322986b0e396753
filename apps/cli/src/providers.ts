import type { Provider } from "@insurance-gateway/core/contract";
import {
  type InstalledProvider,
  loadDeclared,
  undeclaredProviders,
} from "@insurance-gateway/gateway/folder";
import { printList } from "./output/list.ts";

/** Prints the configured providers, and the providers of a workspace that declare no endpoint yet. */
export async function listProviders({ json }: { readonly json?: boolean }): Promise<void> {
  const { configuration, installed } = await loadDeclared(process.env, process.cwd());
  const undeclared = await undeclaredProviders(configuration);
  const items = [
    ...installed.map((one) => rowOf(one.provider, one)),
    ...undeclared.map((provider) => rowOf(provider, null)),
  ];
  await printList(items, {
    json,
    none: "No provider is configured.",
    columns: {
      id: ({ id }) => id,
      segment: ({ segment }) => segment,
      name: ({ name }) => name,
      lines: ({ lines }) => lines.join(", "),
      endpoints: ({ endpoints }) =>
        Object.entries(endpoints)
          .map(([kind, count]) => `${count} ${kind}`)
          .join(", ") || "declares no endpoint yet",
      upstream: ({ upstream }) => upstream,
    },
  });
}

/**
 * Returns a provider's row of the list.
 * @param served - null for a provider that the configuration does not serve
 */
function rowOf({ endpoints, id, lines, name }: Provider, served: InstalledProvider | null) {
  const byKind = Map.groupBy(Object.values(endpoints), ({ kind }) => kind);
  return {
    id,
    segment: served?.segment ?? null,
    name,
    lines,
    /** The number of endpoints of each kind. */
    endpoints: Object.fromEntries([...byKind].map(([kind, all]) => [kind, all.length])),
    /** `sandbox`, or the origin of the insurer's address. */
    upstream: served === null ? null : originOf(served.upstream),
  };
}

function originOf(upstream: InstalledProvider["upstream"]): string {
  return "sandbox" in upstream ? "sandbox" : new URL(upstream.baseUrl).origin;
}
