import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The fields of a package.json that a release reads. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly engines?: { readonly node?: string };
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly repository?: string | { readonly url?: string };
  readonly homepage?: string;
  readonly bugs?: unknown;
}

/** Reads the package.json of a folder. */
export function readManifest(folder: string): Manifest {
  // pnpm has already checked that each package.json has a name and a version.
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}
