import { describe, expect, it } from "vitest";
import { configurationKeys } from "../configuration/configuration-keys.ts";
import { namedIn, tableBelow } from "./document.ts";

/** Returns the keys of a table row. `.audience` is short for a key in the same object as the key before. */
function keysIn(cell: string): readonly string[] {
  const keys: string[] = [];
  for (const name of namedIn(cell))
    keys.push(name.startsWith(".") ? (keys.at(-1) ?? "").replace(/\.[^.]*$/, name) : name);
  return keys;
}

/** Reports whether a default is empty. */
function isNothing(value: unknown): boolean {
  const isEmpty = (held: object): boolean => Object.keys(held).length === 0;
  return (
    value === undefined ||
    value === "" ||
    (typeof value === "object" && value !== null && isEmpty(value))
  );
}

const rows = tableBelow("docs/configuration.md", "Configuration").map(
  ([keys = "", values = ""]) => ({ keys: keysIn(keys), defaults: namedIn(values) }),
);
const keys = configurationKeys();

describe("docs/configuration.md", () => {
  it("docs/configuration.md lists every key of the configuration exactly once", () => {
    expect(rows.flatMap((row) => row.keys).toSorted()).toEqual(
      keys.map(([path]) => path).toSorted(),
    );
  });

  it.each(keys.filter(([, value]) => !isNothing(value)))(
    "docs/configuration.md states the correct default of %s",
    (path, value) => {
      const row = rows.find((one) => one.keys.includes(path));
      const told = row?.defaults[row.keys.indexOf(path)];
      expect(told).toBe(typeof value === "object" ? '{ "type": "none" }' : String(value));
    },
  );
});
