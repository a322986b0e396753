import { existsSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { mutations } from "../src/list.ts";
import { mutated } from "../src/mutation.ts";

// The list is run seldom, because it takes long. That it still fits the code is known at once.
const root = fileURLToPath(new URL("../../../", import.meta.url));

describe("every mutation", () => {
  it("changes a text that its file has exactly once, and leaves a program", () => {
    for (const mutation of mutations) {
      const source = readFileSync(join(root, mutation.file), "utf8");
      expect(() => stripTypeScriptTypes(mutated(mutation, source)), mutation.name).not.toThrow();
    }
  });

  it("has a name of its own, and tests that are there", () => {
    expect(new Set(mutations.map(({ name }) => name)).size).toBe(mutations.length);
    const missing = mutations.flatMap(({ tests }) =>
      tests.filter((test) => !existsSync(join(root, test))),
    );
    expect(missing).toEqual([]);
    expect(mutations.filter(({ tests }) => tests.length === 0)).toEqual([]);
  });
});
