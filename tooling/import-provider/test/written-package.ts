import type { Adapter } from "@insurance-gateway/adapter";
import type { AnySandbox } from "@insurance-gateway/adapter/sandbox";
import type { Provider } from "@insurance-gateway/core/contract";
import type { ImportedProvider } from "../src/import-provider.ts";
import { importedPackages } from "./imported-packages.ts";

/** A package that an import has written and that was loaded in the same way as by a gateway. */
export interface WrittenPackage {
  readonly id: string;
  readonly provider: Provider;
  readonly adapter: Adapter;
  readonly sandbox: AnySandbox;
  readonly examples: object;
  readonly imported: ImportedProvider;
  remove(): void;
}

/** Imports a document, writes the package and loads it. */
export async function writtenPackage(request: {
  readonly from: string;
  readonly overlay?: string;
  readonly all?: boolean;
}): Promise<WrittenPackage> {
  const { packages, remove } = importedPackages([{ all: false, ...request }]);
  const [written] = packages;
  if (written === undefined) throw new TypeError("Nothing was imported");
  const { id, imported, sourceOf } = written;
  const load = (path: string): Promise<Readonly<Record<string, unknown>>> => import(sourceOf(path));
  const [index, adapter, sandbox, examples] = await Promise.all(
    ["index.ts", "adapter.ts", "sandbox.ts", "examples/index.ts"].map(load),
  );
  // Every imported package exports these names, so the types of the modules are known.
  return {
    id,
    provider: index?.providerX as WrittenPackage["provider"],
    adapter: adapter?.adapter as Adapter,
    sandbox: sandbox?.sandbox as AnySandbox,
    examples: { ...examples },
    imported,
    remove,
  };
}
