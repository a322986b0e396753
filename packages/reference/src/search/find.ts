import MiniSearch, { type SearchOptions } from "minisearch";
import type { SearchEntry, SearchKind } from "./search-entries.ts";
import { indexedForms, wordsOf } from "./search-words.ts";

/** An entry of the search result. */
export interface FoundEntry {
  readonly entry: SearchEntry;
  /** The field that contains the typed words, if the endpoint's name, path and summary do not contain the words. */
  readonly field: string | null;
}

/** The result of a search. */
export interface Found {
  /** The entries by kind, the kind with the best entry first. */
  readonly groups: readonly {
    readonly kind: SearchKind;
    readonly entries: readonly FoundEntry[];
  }[];
  readonly total: number;
  /** True if the entries are only similar, because no entry contains all typed words. */
  readonly isClose: boolean;
}

/** Finds pages for the typed words, and lists the best matches first. */
export type Search = (typed: string) => Found;

const MAX_RESULTS_PER_KIND = 6;

const exactSearch: SearchOptions = {
  combineWith: "AND",
  prefix: true,
  fuzzy: (term) => (term.length > 3 && !/\d/.test(term) ? 0.25 : false),
  maxFuzzy: 2,
};
/** The search options from strict to loose: all words, one of the words, similar words. */
const attempts: readonly SearchOptions[] = [
  exactSearch,
  { ...exactSearch, combineWith: "OR" },
  { ...exactSearch, combineWith: "OR", fuzzy: 0.4, maxFuzzy: 3 },
];

/** Creates the search over a list of entries, for the pages' script and the tests. */
export async function createSearch(entries: readonly SearchEntry[]): Promise<Search> {
  // The entries of thousands of endpoints share their words, so the forms of each word are cached.
  const forms = new Map<string, string[]>();
  const formsOf = (term: string): string[] => {
    const known = forms.get(term) ?? [...indexedForms(term)];
    forms.set(term, known);
    return known;
  };
  const index = new MiniSearch<object>({
    fields: ["name", "exact", "note", "fields", "words"],
    extractField: (entry, field) => {
      const value: unknown = Reflect.get(entry, field);
      // MiniSearch also reads an entry's id with this function. The id stays a number.
      return Array.isArray(value) ? value.join(" ") : value;
    },
    tokenize: wordsOf,
    processTerm: formsOf,
    searchOptions: {
      boost: { name: 4, exact: 4, fields: 2, note: 1.5 },
      processTerm: (term) => term,
      weights: { fuzzy: 0.3, prefix: 0.6 },
    },
  });
  // Adds the entries in chunks, so that the page stays usable meanwhile.
  await index.addAllAsync(
    entries.map((entry, id) => ({ ...entry, id })),
    { chunkSize: 50 },
  );
  const byName = new Map<string, number[]>();
  for (const [id, { exact, name }] of entries.entries())
    for (const text of [name, ...exact]) {
      const key = wordsOf(text).join("");
      byName.set(key, [...(byName.get(key) ?? []), id]);
    }
  return (typed) => {
    const words = wordsOf(typed);
    const named = byName.get(words.join("")) ?? [];
    for (const [attempt, options] of attempts.entries()) {
      const found = index.search(typed, options).map(({ id }): number => id);
      const ids = [...new Set([...named, ...found])];
      if (ids.length > 0) return grouped(ids, entries, words, attempt > 0);
    }
    return { groups: [], total: 0, isClose: true };
  };
}

function grouped(
  ids: readonly number[],
  entries: readonly SearchEntry[],
  words: readonly string[],
  isClose: boolean,
): Found {
  const found = ids.flatMap((id) => entries[id] ?? []);
  const groups = [...Map.groupBy(found, ({ kind }) => kind)].map(([kind, own]) => ({
    kind,
    entries: own
      .slice(0, MAX_RESULTS_PER_KIND)
      .map((entry) => ({ entry, field: fieldOf(entry, words) })),
  }));
  return { groups, total: ids.length, isClose };
}

function fieldOf(
  { exact, fields = [], name, note }: SearchEntry,
  words: readonly string[],
): string | null {
  const has = (text: string): boolean => {
    const own = wordsOf(text).flatMap(indexedForms);
    return words.some((word) => own.some((one) => one.startsWith(word)));
  };
  if (has([name, note, ...exact].join(" "))) return null;
  return fields.find(has) ?? null;
}
