import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faultsOfNames, readApi, writeReport } from "../src/api-report.ts";
import { compareTypes } from "../src/compare-types.ts";

const packages = fileURLToPath(new URL("../../../packages", import.meta.url));
const core = join(packages, "core");
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "types-"));
  symlinkSync(join(core, "node_modules"), join(folder, "node_modules"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Copies the built declarations of core with one text replaced, and returns the folder. */
function withChange(name: string, path: string, text: string | RegExp, by: string): string {
  const changed = join(folder, name);
  cpSync(join(core, "dist"), join(changed, "dist"), { recursive: true });
  cpSync(join(core, "package.json"), join(changed, "package.json"));
  const file = join(changed, "dist", path);
  const before = readFileSync(file, "utf8");
  const after = before.replace(text, by);
  if (text !== "" && after === before) throw new Error(`${path} has no ${text}`);
  writeFileSync(file, after);
  return changed;
}

const OPTIONS = "client/options.d.ts";

/** A change of a declaration, and its effect on users. */
const rows = [
  ["no change", OPTIONS, "", "", []],
  [
    "a removed optional member",
    OPTIONS,
    "readonly timeout?: ",
    "readonly deadline?: ",
    [
      "major .: GatewayOptions The type no longer has timeout.",
      "major ./fetch: GatewayOptions The type no longer has timeout.",
    ],
  ],
  [
    "a new optional member",
    OPTIONS,
    "readonly timeout?: ",
    "readonly extra?: number; readonly timeout?: ",
    [
      "minor .: GatewayOptions The type has or accepts more than before.",
      "minor ./fetch: GatewayOptions The type has or accepts more than before.",
    ],
  ],
  [
    "a new required member of an options type",
    OPTIONS,
    /export interface GatewayOptions[^{]*\{/,
    "$& readonly extra: number;",
    [
      "minor .: GatewayOptions The type has or accepts more than before.",
      "major .: createGateway Property 'extra' is missing in type 'GatewayOptions' but required in type 'GatewayOptions'.",
      "minor ./fetch: GatewayOptions The type has or accepts more than before.",
      "major ./fetch: createGateway Property 'extra' is missing in type 'GatewayOptions' but required in type 'GatewayOptions'.",
      "minor ./testing: FakeGateway The type has or accepts more than before.",
      "minor ./testing: fakeGateway The type has or accepts more than before.",
    ],
  ],
  [
    "a removed export",
    "problems/index.d.ts",
    "type CodeFacts, ",
    "",
    ["major ./problems: CodeFacts The name is no longer exported."],
  ],
  [
    "a new export",
    "problems/index.d.ts",
    /$/,
    "\nexport type Fresh = 1;",
    ["minor ./problems: Fresh The name is new."],
  ],
  [
    "a removed export of an unstable entry point",
    "runtime.d.ts",
    /\bnfc\b/,
    "nfc as composed",
    [
      "minor ./runtime: nfc The name is no longer exported.",
      "minor ./runtime: composed The name is new.",
    ],
  ],
] as const;

describe("changes of exported types", () => {
  it.each(rows)(
    "the comparison of two builds reports the level and the place of each changed exported type: %s",
    (name, path, text, by, expected) => {
      const work = join(folder, `${name} compared`);
      mkdirSync(work);
      const before = withChange(`${name} before`, path, "", "");
      const after = withChange(`${name} after`, path, text, by);
      const changes = compareTypes(before, after, work).map(
        (change) => `${change.level} ${change.place} ${change.text}`,
      );
      expect(changes).toEqual(expected);
    },
  );

  it("a breaking change of a type is major if both a stable and an unstable entry point export the type", () => {
    const work = join(folder, "both compared");
    mkdirSync(work);
    const before = withChange("both before", "contract/kinds.d.ts", "", "");
    const after = withChange("both after", "contract/kinds.d.ts", /"lookup" \| /, "");
    const majors = compareTypes(before, after, work).filter(({ level }) => level === "major");
    expect(majors.map(({ place }) => place)).toEqual([
      "./testing: fakeGateway",
      "contract/kinds.d.ts: EndpointKind",
    ]);
  });
});

describe("the report of exported types", () => {
  it.each(["core", "adapter"])(
    "the committed report of exported types matches the sources of %s (npx pnpm --filter @insurance-gateway/release api-report writes the report)",
    (name) => {
      const folder = join(packages, name);
      const api = readApi(folder);
      expect(faultsOfNames(`@insurance-gateway/${name}`, api)).toEqual([]);
      const report = writeReport(`@insurance-gateway/${name}`, api);
      const committed = readFileSync(join(folder, "api-report.md"), "utf8");
      expect(committed.split("\n")).toEqual(report.split("\n"));
    },
  );

  it("a release is refused if core's main entry point exports more than 60 names", () => {
    const { entryPoints } = readApi(core);
    const [root] = entryPoints.filter(({ path }) => path === ".");
    const [[, declared] = []] = root?.exports ?? [];
    if (declared === undefined) throw new Error("core exports nothing");
    const exports = new Map(Array.from({ length: 61 }, (_, index) => [`name${index}`, declared]));
    const refusals = faultsOfNames("@insurance-gateway/core", {
      entryPoints: [{ path: ".", exports }],
    });
    expect(refusals.map(({ reason }) => reason)).toEqual([
      "@insurance-gateway/core exports 61 names from `.`; its limit is 60.",
    ]);
  });
});
