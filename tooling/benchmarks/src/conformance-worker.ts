import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { workerData } from "node:worker_threads";
import { type ConformanceSubject, conformanceFaults } from "@insurance-gateway/testkit";

/** A package of `bench:import`. */
export interface WrittenPackage {
  readonly id: string;
  readonly folder: string;
}

/** A thread of `bench:import`: loads packages, checks their conformance, and prints the faults. */
const packages: readonly WrittenPackage[] = workerData;
for (const one of packages)
  for (const fault of await conformanceFaults(await subjectOf(one)))
    process.stdout.write(`${one.id}: ${fault}\n`);

/** A written package as its own test loads it. */
async function subjectOf({ folder, id }: WrittenPackage): Promise<ConformanceSubject> {
  const load = (path: string): Promise<Readonly<Record<string, unknown>>> =>
    import(pathToFileURL(join(folder, "src", path)).href);
  const [index, adapter, sandbox, examples] = await Promise.all(
    ["index.ts", "adapter.ts", "sandbox.ts", "examples/index.ts"].map(load),
  );
  const constant = id.replaceAll(/-(.)/g, (_dash, letter: string) => letter.toUpperCase());
  // What every written package exports.
  return {
    id,
    provider: index?.[constant],
    adapter: adapter?.adapter,
    sandbox: sandbox?.sandbox,
    examples: { ...examples },
  } as ConformanceSubject;
}
