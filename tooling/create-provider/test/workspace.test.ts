import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Provider } from "@insurance-gateway/core/contract";
import { describe, expect, it } from "vitest";
import { nameProvider } from "../src/naming.ts";
import { newPackage } from "../src/template.ts";
import { filesOf, repository } from "./harness/repository.ts";

const packages = join(repository, "packages");
const ids = readdirSync(packages).filter((name) => name.startsWith("provider-"));

/** Imports the provider of a package in the workspace. */
async function providerOf(id: string): Promise<Provider> {
  const module: Readonly<Record<string, unknown>> = await import(
    join(packages, id, "src", "index.ts")
  );
  // A provider package exports its provider under the name that `nameProvider` derives.
  return module[nameProvider(id).constant] as Provider;
}

const found = await Promise.all(
  ids.map(async (id) => {
    const files = filesOf(join(packages, id));
    const provider = await providerOf(id);
    return { id, files, provider, declares: Object.keys(provider.endpoints).length > 0 };
  }),
);

describe("providers without an endpoint", () => {
  it.each(found.filter(({ declares }) => !declares))(
    "a provider package without an endpoint has exactly the files that new:provider writes: $id",
    ({ id, files, provider }) => {
      const scaffold = newPackage(nameProvider(id, provider.name));
      expect(files.size).toBeLessThanOrEqual(7);
      const mend = `Write it again: rm -r packages/${id} && npm run new:provider -- ${id}`;
      expect(Object.fromEntries(files), mend).toEqual(Object.fromEntries(scaffold));
      expect(manifestIn(files)).toHaveProperty("private", true);
    },
  );
});

describe("providers with endpoints", () => {
  it.each(found.filter(({ declares }) => declares))(
    "a provider package with endpoints is public and its README describes the endpoints: $id",
    ({ id, files }) => {
      expect(manifestIn(files)).toHaveProperty("name", `@insurance-gateway/${id}`);
      expect(manifestIn(files)).not.toHaveProperty("private");
      expect(files.get("README.md")).not.toContain("declares no endpoint yet");
    },
  );
});

function manifestIn(files: ReadonlyMap<string, string>): unknown {
  return JSON.parse(files.get("package.json") ?? "{}");
}

describe("packages of the workspace", () => {
  it("the workspace has a package for each of the 23 providers", () => {
    const letters = Array.from({ length: 23 }, (_, index) => String.fromCodePoint(97 + index));
    expect(ids).toEqual(expect.arrayContaining(letters.map((letter) => `provider-${letter}`)));
  });
});
