import { describe, expect, it } from "vitest";
import {
  faultsOfChangesets,
  faultsOfChangesWithoutChangeset,
  faultsOfPrereleases,
  faultsOfSnapshot,
  faultsOfTrustedPublishing,
  faultsOfWaiting,
  type PlannedRelease,
  type ReleasePlan,
} from "../src/plan.ts";
import { addressOf, type PublishedPackage } from "../src/registry.ts";
import { faultsOfRollBack, versionsTakenBack } from "../src/roll-back.ts";

const NAME = "@insurance-gateway/provider-a";

function published(latest: string, ...versions: readonly string[]): PublishedPackage {
  return { versions, latest: { version: latest, tarball: "", integrity: "" } };
}

function plan(version: string, last: PublishedPackage | null, waiting = 0): ReleasePlan {
  const found = { name: NAME, path: "", folder: "", manifest: { name: NAME, version } };
  const release: PlannedRelease = { found, version, published: last };
  const changeset = { id: "change", summary: "", releases: [] };
  return {
    releases: [release],
    waiting: Array.from({ length: waiting }, () => changeset),
    unexplained: [],
    taken: [],
  };
}

describe("the address of a package", () => {
  it.each(["https://host.test/repository/npm", "https://host.test/repository/npm/"])(
    "keeps the path of %s",
    (registry) => {
      expect(addressOf(registry, NAME).href).toBe(
        "https://host.test/repository/npm/@insurance-gateway%2fprovider-a",
      );
    },
  );
});

describe("a plan", () => {
  it("releases no pre-release as latest", () => {
    expect(faultsOfPrereleases(plan("1.1.0-next.1", published("1.0.0", "1.0.0")))).toEqual([
      {
        reason: expect.stringContaining(`${NAME} 1.1.0-next.1 is a pre-release`),
        remedy: expect.stringContaining("npm run release -- snapshot"),
      },
    ]);
    expect(faultsOfPrereleases(plan("1.1.0", published("1.0.0", "1.0.0")))).toEqual([]);
  });

  it("publishes no snapshot of a name that was never released", () => {
    expect(faultsOfSnapshot(plan("1.1.0-next-1", null))).toEqual([
      {
        reason: expect.stringContaining(`${NAME} was never released`),
        remedy: expect.stringContaining("Release it once first"),
      },
    ]);
    expect(faultsOfSnapshot(plan("1.1.0-next-1", published("1.0.0", "1.0.0")))).toEqual([]);
  });

  it("refuses a package that changed and that nothing releases", () => {
    const { found } = plan("1.0.0", null).releases[0] ?? expect.unreachable();
    const nothing = { ...plan("1.0.0", null), releases: [] };
    const changed = (): readonly string[] => ["src/index.ts", "src/adapter.ts"];
    expect(faultsOfChangesWithoutChangeset(nothing, [found], changed)).toEqual([
      {
        reason: `${NAME} has changed since 1.0.0 without a changeset: src/index.ts and 1 more.`,
        remedy: expect.stringContaining("npx pnpm changeset"),
      },
    ]);
    expect(faultsOfChangesWithoutChangeset(nothing, [found], () => [])).toEqual([]);
    const released = plan("1.0.1", published("1.0.0", "1.0.0"));
    expect(faultsOfChangesWithoutChangeset(released, [found], changed)).toEqual([]);
  });

  it("takes changesets that name one package, or none, and refuses the ones that name several", () => {
    const changeset = (...names: readonly string[]): ReleasePlan => ({
      ...plan("1.0.0", null),
      waiting: [
        { id: "change", summary: "", releases: names.map((name) => ({ name, type: "none" })) },
      ],
    });
    expect(faultsOfChangesets(changeset())).toEqual([]);
    expect(faultsOfChangesets(changeset(NAME))).toEqual([]);
    expect(faultsOfChangesets(changeset(NAME, "@insurance-gateway/core"))).toHaveLength(1);
  });

  it("leaves the first version of a name to a person with a login", () => {
    expect(faultsOfTrustedPublishing(plan("1.0.0", null))).toEqual([
      {
        reason: expect.stringContaining(`does not have ${NAME} yet`),
        remedy: expect.stringContaining("A person publishes it with a login"),
      },
    ]);
    expect(faultsOfTrustedPublishing(plan("1.0.1", published("1.0.0", "1.0.0")))).toEqual([]);
  });

  it("counts the changesets that wait", () => {
    expect(faultsOfWaiting(plan("1.0.0", null))).toEqual([]);
    expect(faultsOfWaiting(plan("1.0.0", null, 1))[0]?.reason).toMatch(/^1 changeset has /);
    expect(faultsOfWaiting(plan("1.0.0", null, 2))[0]?.reason).toMatch(/^2 changesets have /);
  });
});

describe("going back", () => {
  // 1.3.0 was taken back before.
  const versions = ["1.0.0", "1.1.0-next-1", "1.1.0", "1.2.0-next-1", "1.2.0", "1.3.0"];
  const now = published("1.2.0", ...versions);

  it.each(["1.1.0-next-1", "1.2.0", "1.3.0", "0.9.0", "1.x"])("refuses %s", (version) => {
    const faults = faultsOfRollBack(now, NAME, version);
    expect(faults.map(({ remedy }) => remedy)).toEqual(["Name an earlier one: 1.0.0, 1.1.0."]);
  });

  it("refuses a name that the registry does not have", () => {
    expect(faultsOfRollBack(null, NAME, "1.0.0")).toHaveLength(1);
  });

  it("deprecates the stable versions above it, up to latest", () => {
    expect(faultsOfRollBack(now, NAME, "1.0.0")).toEqual([]);
    expect(versionsTakenBack(now, "1.0.0")).toEqual(["1.1.0", "1.2.0"]);
  });
});
