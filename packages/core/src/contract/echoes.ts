import { bodyOf } from "./body.ts";
import type { Endpoint, MatchField } from "./endpoint.ts";
import type { CheckedInput } from "./input-checker.ts";
import { matchPointer, normalForm } from "./match.ts";
import { isInBody, pagingOf } from "./paging.ts";
import { pathParameters } from "./path.ts";
import { isPointer, valueAt } from "./pointer.ts";

/** Result of comparing the items of a page with the parameters of the search. */
export interface EchoComparison {
  /** True if the items repeat every sent parameter in `echoes`. False if a parameter could not be compared. */
  readonly isCompared: boolean;
  /** JSON Pointers of the item fields whose values differ from the search parameters. */
  readonly different: readonly string[];
}

/**
 * Compares each item of a page with the search parameters that items must repeat (`echoes`). Parameters that were not
 * sent, and fields that an item does not have, are not compared.
 * @param except - JSON Pointers of the fields to skip
 */
export function compareEchoes(
  endpoint: Endpoint,
  input: Pick<CheckedInput, "body" | "params" | "query">,
  page: unknown,
  except: readonly string[] = [],
): EchoComparison {
  const found = valueAt(page, pagingOf(endpoint).items);
  const items: readonly unknown[] = Array.isArray(found) ? found : [];
  const results = comparedEchoes(endpoint, except).map(([name, field]) => {
    const sent = [parameterOf(endpoint, input, name)].flat().flatMap(textConverter(field));
    const answered = items.flatMap((item) =>
      textConverter(field)(valueAt(item, matchPointer(field))),
    );
    return {
      pointer: matchPointer(field),
      isSent: sent.length > 0,
      isCompared: sent.length > 0 && answered.length > 0,
      isEqual: sent.length === 0 || answered.every((value) => sent.includes(value)),
    };
  });
  return {
    isCompared:
      results.some(({ isSent }) => isSent) &&
      results.every(({ isCompared, isSent }) => isCompared || !isSent),
    different: results.filter(({ isEqual }) => !isEqual).map(({ pointer }) => pointer),
  };
}

/** Returns the search parameters that the found items repeat, each with the place of the value in an item. */
export function comparedEchoes(
  { echoes = {} }: Pick<Endpoint, "echoes">,
  except: readonly string[] = [],
): readonly (readonly [name: string, field: MatchField])[] {
  return Object.entries(echoes).filter(([, field]) => !except.includes(matchPointer(field)));
}

function parameterOf(
  { path }: Endpoint,
  { body, params, query }: Pick<CheckedInput, "body" | "params" | "query">,
  name: string,
): unknown {
  if (isInBody(name)) return valueAt(body, name);
  return pathParameters(path).includes(name) ? params[name] : query[name];
}

/** Returns a function that lists the comparable text of a value: one text, or none for an object, null or undefined. */
function textConverter(field: MatchField): (value: unknown) => readonly string[] {
  return (value) => {
    if (value === undefined || value === null || typeof value === "object") return [];
    return [String(normalForm(field, String(value)))];
  };
}

/** Finds faults in `echoes`, the declaration of the search parameters that the found items repeat. */
export function echoFaults(endpoint: Endpoint): readonly string[] {
  const { echoes, kind, path, query } = endpoint;
  if (echoes === undefined) return [];
  if (kind !== "search") return ["only a search has `echoes`"];
  const entries = Object.entries(echoes);
  const inPath = pathParameters(path);
  const isParameter = (name: string): boolean =>
    isInBody(name)
      ? isPointer(name) && bodyOf(endpoint) !== undefined
      : inPath.includes(name) || query !== undefined;
  return [
    ...(entries.length > 0 ? [] : ["`echoes` must name a parameter"]),
    ...entries
      .filter(([name]) => !isParameter(name))
      .map(([name]) => `\`echoes\` has ${name}, which must be a parameter of the search`),
    ...entries
      .map(([, field]) => matchPointer(field))
      .filter((place) => !isPointer(place))
      .map((place) => `\`echoes\` has ${JSON.stringify(place)}, which must be a JSON Pointer`),
  ];
}
