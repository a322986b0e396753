import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compareConfigurations, compareManifests } from "../src/compare-manifests.ts";

let root: string;
let count = 0;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "manifests-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Writes an unpacked tarball with a manifest and, if passed, a configuration schema. */
function unpacked(manifest: object, configuration?: object): string {
  const folder = join(root, String(count++));
  mkdirSync(join(folder, "dist"), { recursive: true });
  const content = { name: "@insurance-gateway/gateway", version: "1.0.0", ...manifest };
  writeFileSync(join(folder, "package.json"), JSON.stringify(content));
  if (configuration !== undefined)
    writeFileSync(join(folder, "dist/configuration.schema.json"), JSON.stringify(configuration));
  return folder;
}

const CORE = "@insurance-gateway/core";
const optional = { peerDependenciesMeta: { luxon: { optional: true } } };

/** An older and a newer manifest, and the expected changes. */
const manifests = [
  [{ engines: { node: ">=22.19.0" } }, { engines: { node: ">=22.19.0" } }, []],
  [{ engines: { node: ">=24.0.0" } }, { engines: { node: ">=22.19.0" } }, []],
  [
    { engines: { node: ">=22.19.0" } },
    { engines: { node: ">=24.0.0" } },
    ["major engines.node: The range was >=22.19.0 and is now >=24.0.0."],
  ],
  [
    {},
    { engines: { node: ">=24.0.0" } },
    ["major engines.node: The range was * and is now >=24.0.0."],
  ],
  [
    { exports: { ".": "./a.js", "./data.json": "./data.json" } },
    { exports: { ".": "./b.js", "./more": "./more.js" } },
    [
      "major exports ./data.json: This entry was removed.",
      "minor exports ./more: This entry is new.",
    ],
  ],
  [
    { exports: { ".": "./a.js", "./b": { types: "./b.d.ts", default: "./b.js" } } },
    { exports: { ".": { default: "./a.js" }, "./b": null } },
    ["major exports ./b: This entry was removed."],
  ],
  [
    { exports: { ".": { types: "./a.d.ts", default: "./a.js" } } },
    { exports: { ".": { types: "./a.d.ts", import: "./a.js" } } },
    ["major exports .: The condition default was removed."],
  ],
  [{ bin: { one: "./a.js" } }, { bin: { one: "./b.js" } }, []],
  [
    { bin: { one: "./a.js" } },
    { bin: { two: "./a.js" } },
    ["major bin one: This entry was removed.", "minor bin two: This entry is new."],
  ],
  [{ peerDependencies: { luxon: "^3.0.0" } }, {}, []],
  [{ peerDependencies: { luxon: "^3.1.0" } }, { peerDependencies: { luxon: "^3.0.0" } }, []],
  [
    { peerDependencies: { luxon: "^3.0.0" } },
    { peerDependencies: { luxon: "^3.1.0" } },
    ["major peerDependencies.luxon: The range was ^3.0.0 and is now ^3.1.0."],
  ],
  [
    {},
    { peerDependencies: { luxon: "^3.0.0" } },
    ["major peerDependencies.luxon: This entry is new."],
  ],
  [
    {},
    { peerDependencies: { luxon: "^3.0.0" }, ...optional },
    ["minor peerDependencies.luxon: This entry is new."],
  ],
  [
    { peerDependencies: { luxon: "^3.0.0" }, ...optional },
    { peerDependencies: { luxon: "^3.0.0" } },
    ["major peerDependencies.luxon: The peer was optional and is now required."],
  ],
  [
    { peerDependencies: { [CORE]: "^1.0.0 || ^2.0.0" } },
    { peerDependencies: { [CORE]: "^2.0.0" } },
    [`major peerDependencies.${CORE}: The range was ^1.0.0 || ^2.0.0 and is now ^2.0.0.`],
  ],
  [
    { peerDependencies: { [CORE]: "^1.0.0" } },
    { peerDependencies: { [CORE]: "^1.2.0" } },
    [`minor peerDependencies.${CORE}: The range was ^1.0.0 and is now ^1.2.0.`],
  ],
  [
    { peerDependencies: { [CORE]: "^1.0.0" } },
    { peerDependencies: { [CORE]: "^2.0.0" } },
    [`major peerDependencies.${CORE}: The range was ^1.0.0 and is now ^2.0.0.`],
  ],
] as const;

describe("changes of package.json", () => {
  it.each(manifests)(
    "the comparison of two package.json files reports the level and place of each change: %j → %j",
    (before, after, expected) => {
      const changes = compareManifests(unpacked(before), unpacked(after));
      expect(changes.map(({ level, place, text }) => `${level} ${place}: ${text}`)).toEqual(
        expected,
      );
    },
  );
});

const port = { type: "integer", minimum: 0, maximum: 65_535 };
const object = (properties: object, more: object = {}): object => ({
  type: "object",
  properties,
  additionalProperties: false,
  ...more,
});

/** An older and a newer configuration schema, and the expected levels of the changes. */
const configurations = [
  ["no change", object({ port }), object({ port }), []],
  ["a removed setting", object({ port, host: { type: "string" } }), object({ port }), ["major"]],
  ["a new setting", object({ port }), object({ port, host: { type: "string" } }), ["minor"]],
  [
    "a setting that is now required",
    object({ port }),
    object({ port }, { required: ["port"] }),
    ["major"],
  ],
  ["fewer accepted values", object({ port }), object({ port: { ...port, minimum: 1 } }), ["major"]],
] as const;

describe("changes of the configuration schema", () => {
  it.each(configurations)(
    "the comparison of two configuration schemas reports the level of each change: %s",
    (_, before, after, expected) => {
      const changes = compareConfigurations(unpacked({}, before), unpacked({}, after));
      expect(changes.map(({ level }) => level)).toEqual(expected);
    },
  );

  it("the report of a change in the configuration schema contains the place of this change", () => {
    const [old, current] = [object({ listen: object({ port }) }), object({ listen: object({}) })];
    const [change] = compareConfigurations(unpacked({}, old), unpacked({}, current));
    expect(change?.place).toMatch(/^configuration \/properties\/listen\/properties\/port/);
  });

  it("a release reports no change for a package's first configuration schema, and a major change for a removed schema", () => {
    const [without, having] = [unpacked({}), unpacked({}, object({ port }))];
    expect(compareConfigurations(without, having)).toEqual([]);
    expect(compareConfigurations(having, without)).toEqual([
      { level: "major", place: "configuration", text: "The schema was removed." },
    ]);
  });
});
