import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { repository } from "./harness/markdown.ts";
import { type Bump, copyForRelease, type Manifest, type ReleaseCopy } from "./release-copy.ts";

type Packages = ReadonlyMap<string, Manifest>;
type Bumps = Readonly<Record<string, Bump>>;

interface Release {
  readonly before: Packages;
  readonly after: Packages;
  /** The packages that have a new version, with it. */
  readonly released: Readonly<Record<string, string | undefined>>;
}

const CORE = "@insurance-gateway/core";
/** The entry point of core that any minor may change. */
const RUNTIME = `"${CORE}/runtime"`;

let copy: ReleaseCopy | undefined;
afterEach(() => copy?.remove());

/** Runs `changeset version` on a copy, with these changesets and no others. */
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

/** The version that follows a package's. */
function next(packages: Packages, name: string, bump: Bump): string {
  const [major = 0, minor = 0, patch = 0] = (packages.get(name)?.version ?? "")
    .split(".")
    .map(Number);
  if (bump === "major") return `${major + 1}.0.0`;
  return bump === "minor" ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

/** Returns the peers that each package requires. */
function peersIn(packages: Packages): object {
  return Object.fromEntries([...packages].map(([name, found]) => [name, found.peerDependencies]));
}

/** The providers that are released. */
function providersIn(packages: Packages): readonly string[] {
  return [...packages.entries()]
    .filter(([name, found]) => name.startsWith("provider-") && found.private !== true)
    .map(([name]) => name);
}

/** The packages that every provider has as peers. */
const peers = ["core", "adapter"] as const;

/** The providers that a new major of a peer leaves behind with less than a major of their own. */
function leftBehind({ after, before }: Release): readonly string[] {
  const majorOf = (found?: Manifest): string | undefined => found?.version?.split(".")[0];
  const rose = (name: string): boolean => majorOf(before.get(name)) !== majorOf(after.get(name));
  return peers.some(rose) ? providersIn(after).filter((name) => !rose(name)) : [];
}

describe("changeset version", () => {
  it("releases core alone for a patch of core", async () => {
    const { after, before, released } = await release({ core: "patch" });
    expect(released).toEqual({ core: next(before, "core", "patch") });
    expect(peersIn(after)).toEqual(peersIn(before));
  });

  it("releases a patch of each package that uses core/runtime, and no provider, for a minor of core", async () => {
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

  it("finds no published package that uses core/runtime and accepts another minor of core", async () => {
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

  it("never versions a private package, not even when a changeset names it", async () => {
    const { after, before, released } = await release({ core: "major" }, { "provider-w": "major" });
    const versions = (packages: Packages): readonly unknown[] =>
      [...packages.values()].filter((found) => found.private).map(({ version }) => version);
    expect(versions(after)).toEqual(versions(before));
    expect(released).not.toHaveProperty("provider-w");
    expect(after.get("provider-w")).toMatchObject({ private: true, version: "1.0.0" });
  });
});

describe.each(peers)("a major of %s", (peer) => {
  it("by itself makes a patch of every provider, which would break who takes it", async () => {
    const done = await release({ [peer]: "major" });
    expect(leftBehind(done)).toEqual(providersIn(done.before));
    expect(done.released).toMatchObject({ "provider-d": next(done.before, "provider-d", "patch") });
  });
});

describe("the changesets that wait here", () => {
  it("hold no major of core or of adapter alone", async () => {
    copy = await copyForRelease("with its changesets");
    expect(leftBehind(await carryOut(copy))).toEqual([]);
  });
});

describe.each(peers)("what a provider needs of %s", (peer) => {
  it("is a literal range within its major, which only the provider's author moves", async () => {
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
