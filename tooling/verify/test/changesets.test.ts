import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { repository } from "./harness/markdown.ts";
import {
  type ChangesetLevel,
  copyForRelease,
  type Manifest,
  type ReleaseCopy,
} from "./release-copy.ts";

type Packages = ReadonlyMap<string, Manifest>;
type Bumps = Readonly<Record<string, ChangesetLevel>>;

interface Release {
  readonly before: Packages;
  readonly after: Packages;
  /** The new version of each package whose version changed. */
  readonly released: Readonly<Record<string, string | undefined>>;
}

const CORE = "@insurance-gateway/core";
/** The entry point of core that any minor may change. */
const RUNTIME = `"${CORE}/runtime"`;

let copy: ReleaseCopy | undefined;
afterEach(() => copy?.remove());

/** Runs `changeset version` on a copy of the repository with only these changesets. */
async function release(...changesets: readonly Bumps[]): Promise<Release> {
  copy = await copyForRelease("without its changesets");
  for (const bumps of changesets) copy.addChangeset(bumps);
  return carryOut(copy);
}

async function carryOut(copy: ReleaseCopy): Promise<Release> {
  const before = copy.packages();
  await copy.version();
  const after = copy.packages();
  const changed = [...after].filter(([name, { version }]) => version !== before.get(name)?.version);
  const released = Object.fromEntries(changed.map(([name, { version }]) => [name, version]));
  return { before, after, released };
}

/** Returns the next version of a package. */
function next(packages: Packages, name: string, bump: ChangesetLevel): string {
  const [major = 0, minor = 0, patch = 0] = (packages.get(name)?.version ?? "")
    .split(".")
    .map(Number);
  if (bump === "major") return `${major + 1}.0.0`;
  return bump === "minor" ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

/** Returns the peer dependencies of each package. */
function peersIn(packages: Packages): object {
  return Object.fromEntries([...packages].map(([name, found]) => [name, found.peerDependencies]));
}

/** Returns the names of the public provider packages. */
function providersIn(packages: Packages): readonly string[] {
  return [...packages.entries()]
    .filter(([name, found]) => name.startsWith("provider-") && found.private !== true)
    .map(([name]) => name);
}

/** The packages that every provider has as peer dependencies. */
const peers = ["core", "adapter"] as const;

/** Returns the providers without a new major version although a peer dependency has one. */
function leftBehind({ after, before }: Release): readonly string[] {
  const majorOf = (found?: Manifest): string | undefined => found?.version?.split(".")[0];
  const rose = (name: string): boolean => majorOf(before.get(name)) !== majorOf(after.get(name));
  return peers.some(rose) ? providersIn(after).filter((name) => !rose(name)) : [];
}

describe("changeset version", () => {
  it("a changeset for a patch release of core releases only core", async () => {
    const { after, before, released } = await release({ core: "patch" });
    expect(released).toEqual({ core: next(before, "core", "patch") });
    expect(peersIn(after)).toEqual(peersIn(before));
  });

  it("a changeset for a minor release of core also releases a patch of each package that uses core/runtime, but no provider", async () => {
    const { after, before, released } = await release({ core: "minor" });
    const users = [...before]
      .filter(([, { dependencies = {} }]) => dependencies[CORE] === "workspace:~")
      .map(([name]) => [name, next(before, name, "patch")]);
    expect(users.length).toBeGreaterThan(0);
    expect(released).toEqual({
      core: next(before, "core", "minor"),
      ...Object.fromEntries(users),
    });
    expect(peersIn(after)).toEqual(peersIn(before));
  });

  it("every published package that uses core/runtime accepts only the present minor version of core", async () => {
    copy = await copyForRelease("without its changesets");
    const users = globSync("packages/*/dist/**/*.js", { cwd: repository })
      .filter((file) => readFileSync(join(repository, file), "utf8").includes(RUNTIME))
      .map((file) => file.split("/", 2)[1] ?? "");
    const packages = copy.packages();
    const published = [...new Set(users)].filter((name) => packages.get(name)?.private !== true);
    expect(published).toContain("adapter");
    for (const name of published)
      expect(packages.get(name)?.dependencies, name).toMatchObject({ [CORE]: "workspace:~" });
  });

  it("a private package keeps its version even if a changeset names the package", async () => {
    const { after, before, released } = await release({ core: "major" }, { "provider-w": "major" });
    const versions = (packages: Packages): readonly unknown[] =>
      [...packages.values()].filter((found) => found.private).map(({ version }) => version);
    expect(versions(after)).toEqual(versions(before));
    expect(released).not.toHaveProperty("provider-w");
    expect(after.get("provider-w")).toMatchObject({ private: true, version: "1.0.0" });
  });
});

describe.each(peers)("changesets with a major of %s", (peer) => {
  it("the tool changesets alone would release only a patch of each provider after a major release of a peer dependency", async () => {
    const done = await release({ [peer]: "major" });
    expect(leftBehind(done)).toEqual(providersIn(done.before));
    expect(done.released).toMatchObject({ "provider-d": next(done.before, "provider-d", "patch") });
  });
});

describe("the waiting changesets of this repository", () => {
  it("the waiting changesets contain no major release of core or adapter without major releases of the providers", async () => {
    copy = await copyForRelease("with its changesets");
    expect(leftBehind(await carryOut(copy))).toEqual([]);
  });
});

describe.each(peers)("providers' peer dependency on %s", (peer) => {
  it("every provider's peer dependency is a literal range within the dependency's present major version", async () => {
    copy = await copyForRelease("without its changesets");
    const packages = copy.packages();
    const [major] = (packages.get(peer)?.version ?? "").split(".");
    for (const [name, found] of packages)
      if (name.startsWith("provider-"))
        expect(found.peerDependencies, name).toMatchObject({
          [`@insurance-gateway/${peer}`]: expect.stringMatching(`^\\^${major}\\.\\d+\\.\\d+$`),
        });
  });
});
