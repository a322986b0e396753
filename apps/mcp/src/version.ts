import { readFileSync } from "node:fs";

/** The version of this package. */
export function version(): string {
  // This file and its build are both one folder below the package's.
  const file = new URL("../package.json", import.meta.url);
  // The package's own manifest, which no package is published without.
  const manifest = JSON.parse(readFileSync(file, "utf8")) as { readonly version: string };
  return manifest.version;
}
