import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Adapter } from "@insurance-gateway/adapter";
import type { AnySandbox } from "@insurance-gateway/adapter/sandbox";
import type { Provider } from "@insurance-gateway/core/contract";
import { type ImportedProvider, importProvider } from "../src/import-provider.ts";
import { writeImport } from "../src/write-import.ts";

const packages = fileURLToPath(new URL("../../../packages", import.meta.url));

/** A package that an import wrote, loaded as a gateway and its tests load it. */
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
  const id = "provider-x";
  const folder = mkdtempSync(join(tmpdir(), "written-"));
  mkdirSync(join(folder, "node_modules/@insurance-gateway"), { recursive: true });
  for (const name of ["core", "adapter"])
    symlinkSync(join(packages, name), join(folder, "node_modules/@insurance-gateway", name));
  symlinkSync(join(packages, "core/node_modules/zod"), join(folder, "node_modules/zod"));
  const imported = importProvider({ provider: id, all: false, ...request });
  writeImport(join(folder, id), { id }, imported);
  const load = (path: string): Promise<Readonly<Record<string, unknown>>> =>
    import(pathToFileURL(join(folder, id, "src", path)).href);
  const [index, adapter, sandbox, examples] = await Promise.all(
    ["index.ts", "adapter.ts", "sandbox.ts", "examples/index.ts"].map(load),
  );
  // What every written package exports.
  return {
    id,
    provider: index?.providerX as WrittenPackage["provider"],
    adapter: adapter?.adapter as Adapter,
    sandbox: sandbox?.sandbox as AnySandbox,
    examples: { ...examples },
    imported,
    remove: () => rmSync(folder, { recursive: true }),
  };
}
