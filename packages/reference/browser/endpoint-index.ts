import MiniSearch from "minisearch";
import type { SearchEntry } from "../src/search/search-entries.ts";
import { wordsOf } from "./search-words.ts";

const MOST_SHOWN = 20;

/** Finds endpoints by what a person types; the best first. */
export type FindEndpoints = (typed: string) => {
  readonly shown: readonly SearchEntry[];
  readonly total: number;
};

/** Makes the search over a list of endpoints. */
export function indexEndpoints(endpoints: readonly SearchEntry[]): FindEndpoints {
  const index = new MiniSearch<SearchEntry & { readonly id: number }>({
    fields: ["name", "path", "summary", "provider", "kind", "method"],
    tokenize: wordsOf,
    processTerm: (term) => term,
    searchOptions: {
      boost: { name: 3, path: 2 },
      combineWith: "AND",
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    },
  });
  index.addAll(endpoints.map((endpoint, id) => ({ ...endpoint, id })));
  return (typed) => {
    const found = index.search(typed);
    const shown = found.slice(0, MOST_SHOWN).flatMap(({ id }) => endpoints[Number(id)] ?? []);
    return { shown, total: found.length };
  };
}
