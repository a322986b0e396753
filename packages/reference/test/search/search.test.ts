import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { completeDocument, type ProviderDocument, type ProviderOnPage } from "../../src/index.ts";
import { gatewayItself } from "../../src/own/own-document.ts";
import { createSearch, type Found } from "../../src/search/find.ts";
import { searchEntries } from "../../src/search/search-entries.ts";
import { readGuides } from "../../src/site/guides/guides.ts";
import { sitePaths } from "../../src/site/paths.ts";
import { questions } from "./questions.ts";
import { scenarioRows } from "./scenario-rows.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const providers = globSync("packages/provider-*/openapi.json", { cwd: root }).map(
  (file): ProviderOnPage => {
    // The build of the package has written this file.
    const own = JSON.parse(readFileSync(root + file, "utf8")) as ProviderDocument;
    const { id, lines, name } = own.info["x-provider"];
    const document = completeDocument(own, () => ({}));
    return { id, segment: id, name, lines, document, changelog: null };
  },
);
const scenarios = scenarioRows.map(([provider, endpoint, name, effect]) => ({
  provider,
  endpoint,
  name,
  effect,
  when: null,
  problem: null,
}));
const entries = searchEntries(
  sitePaths(""),
  [gatewayItself(providers, { hasSandbox: true }), ...providers],
  scenarios,
  readGuides(),
);
const search = await createSearch(entries);

function pathsIn({ groups }: Found): readonly string[] {
  return groups.flatMap((group) =>
    group.entries.map(({ entry }) => entry.href.replace("/reference", "").replace(/#.*/, "")),
  );
}

describe("the search of the reference", () => {
  it("the reference's search finds an expected page among the first three results for at least 37 of 40 test questions", () => {
    const missed = questions.filter(([typed, ...right]) => {
      const first = pathsIn(search(typed)).slice(0, 3);
      return !right.some((path) => first.includes(path));
    });
    expect(questions).toHaveLength(40);
    expect(missed.length, missed.map(([typed]) => typed).join()).toBeLessThanOrEqual(3);
  });

  it("the reference's search lists the page of a path, endpoint, code or provider first if the query is the exact name", () => {
    const firstOf = (typed: string): string | undefined => pathsIn(search(typed))[0];
    expect(firstOf("/provider-d/applications")).toBe("/providers/provider-d/createApplication");
    expect(firstOf("searchApplications")).toBe("/providers/provider-d/searchApplications");
    expect(firstOf("RATE_LIMITED")).toBe("/errors/RATE_LIMITED");
    const found = pathsIn(search("429"));
    expect(found.slice(0, 2).toSorted()).toEqual(["/errors/RATE_LIMITED", "/errors/TOO_MANY"]);
    expect(found.filter((path) => path === "/errors/TOO_MANY")).toHaveLength(1);
    expect(firstOf("provider b")).toBe("/providers/provider-b");
  });

  it("a result of the reference's search names the matching field together with the field's Greek label", () => {
    const fieldFor = (typed: string): unknown => search(typed).groups[0]?.entries[0]?.field;
    expect(fieldFor("personDob")).toMatch(/^personDob: Ημερομηνία/);
    expect(fieldFor("listBrands")).toBeNull();
  });

  it("the reference's search marks results as only similar if no page contains all words of the query", () => {
    expect(search("brands unicorn")).toMatchObject({ isClose: true });
    expect(pathsIn(search("brands unicorn"))).toContain("/providers/provider-a/listBrands");
    expect(search("xqzwvk")).toMatchObject({ total: 0, isClose: true });
  });
});
