import MiniSearch from "minisearch";
import { wordsOf } from "./search-words.ts";

/** One endpoint, as the gateway lists it for the search. */
export interface Endpoint {
  readonly segment: string;
  readonly anchor: string;
  readonly provider: string;
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly kind: string;
  readonly summary: string;
}

const MOST_SHOWN = 20;

/** Finds endpoints by what a person types; the best first. */
export type FindEndpoints = (typed: string) => {
  readonly shown: readonly Endpoint[];
  readonly total: number;
};

/** Makes the search over a list of endpoints. */
export function indexEndpoints(endpoints: readonly Endpoint[]): FindEndpoints {
  const index = new MiniSearch<Endpoint & { readonly id: number }>({
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
