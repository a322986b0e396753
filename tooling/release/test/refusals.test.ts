import { describe, expect, it } from "vitest";
import {
  faultsOfChangesets,
  faultsOfPrereleases,
  faultsOfWaiting,
  type PlannedRelease,
  type ReleasePlan,
} from "../src/plan.ts";
import { addressOf, type PublishedPackage } from "../src/registry.ts";

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
    withoutChangeset: [],
    alreadyPublished: [],
  };
}

describe("the registry's address of a package", () => {
  it.each(["https://host.test/repository/npm", "https://host.test/repository/npm/"])(
    "the address of a package contains the path of the registry's address: %s",
    (registry) => {
      expect(addressOf(registry, NAME).href).toBe(
        "https://host.test/repository/npm/@insurance-gateway%2fprovider-a",
      );
    },
  );
});

describe("release plans", () => {
  it("a release plan rejects a pre-release version, which would become the version `latest`", () => {
    expect(faultsOfPrereleases(plan("1.1.0-next.1", published("1.0.0", "1.0.0")))).toEqual([
      {
        reason: expect.stringContaining(`${NAME} 1.1.0-next.1 is a pre-release`),
        remedy: expect.stringContaining("Give it a version such as 1.2.0"),
      },
    ]);
    expect(faultsOfPrereleases(plan("1.1.0", published("1.0.0", "1.0.0")))).toEqual([]);
  });

  it("a release plan accepts changesets for one package or none and rejects a changeset for two packages", () => {
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

  it("a release plan is rejected if changesets are not yet applied, and the error contains their number", () => {
    expect(faultsOfWaiting(plan("1.0.0", null))).toEqual([]);
    expect(faultsOfWaiting(plan("1.0.0", null, 1))[0]?.reason).toMatch(/^1 changeset has /);
    expect(faultsOfWaiting(plan("1.0.0", null, 2))[0]?.reason).toMatch(/^2 changesets have /);
  });
});
