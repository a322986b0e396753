import type { ImportedEndpoint } from "../operations/model.ts";
import { groupsOf } from "../schemas/groups.ts";
import { type Definition, definitionsIn, type Home } from "../schemas/model.ts";
import { takenTypes, takenValues } from "./taken-names.ts";
import { camelCase, kebabCase, pascalCase, wordsIn } from "./words.ts";

/** The names of a definition, which is a named schema of the package. */
export interface DefinitionNames {
  /** The name of the interface or type: `MotorPolicy`. */
  readonly type: string;
  /** The name of the constant with the schema: `motorPolicy`. */
  readonly value: string;
  /** The file in `src/schemas` without extension: `motor-policy`. */
  readonly file: string;
}

/** The names of all definitions that the endpoints use. */
export type Names = ReadonlyMap<Definition, DefinitionNames>;

/**
 * Returns a unique name for each operation: from the overlay, its `operationId`, or its method and path. Names also
 * differ when case is ignored.
 */
export function endpointNames(
  operations: readonly {
    readonly method: string;
    readonly path: string;
    readonly operationId: string | undefined;
    readonly chosen: string | undefined;
  }[],
): readonly string[] {
  const unique = uniqueNames(takenValues);
  // The names in an overlay have priority over derived names.
  const chosen = new Map(
    operations.flatMap((operation) =>
      operation.chosen === undefined
        ? []
        : [[operation, unique(operation.chosen, "Call")] as const],
    ),
  );
  return operations.map((operation) => {
    const { method, operationId = "", path } = operation;
    const text = wordsIn(operationId).length > 0 ? operationId : textOfPath(method, path);
    return chosen.get(operation) ?? unique(camelCase(text), "Call");
  });
}

/** Converts a call to words: `GET /policies/{id}/documents` → `get policies by id documents`. */
function textOfPath(method: string, path: string): string {
  const words = path.split("/").map((segment) => segment.replaceAll(/\{([^}]*)\}/g, " by $1 "));
  return [method.toLowerCase(), ...words].join(" ");
}

/** Returns all definitions that the endpoints use directly or indirectly, in the order of first use. */
export function usedDefinitions(endpoints: readonly ImportedEndpoint[]): readonly Definition[] {
  const found = new Set<Definition>();
  const collect = (definition: Definition): void => {
    if (found.has(definition)) return;
    found.add(definition);
    for (const inner of definitionsIn(definition.node)) collect(inner);
  };
  for (const endpoint of endpoints) for (const one of definitionsOf(endpoint)) collect(one);
  return [...found];
}

/** Returns the definitions that an endpoint uses directly. */
function definitionsOf(endpoint: ImportedEndpoint): readonly Definition[] {
  const { answers, body, headers, params, query } = endpoint;
  return [
    params,
    query,
    headers,
    ...(body?.media ?? []).map(({ definition }) => definition),
    ...answers.flatMap((answer) => [
      ...answer.media.map(({ definition }) => definition),
      answer.headers,
    ]),
  ].filter((definition) => definition !== undefined);
}

/**
 * Names the definitions after the document's schemas. A schema that requests and answers use becomes two types, and the
 * name of the request's type ends with `Input`. Names are unique even when case is ignored, and they do not hide
 * globals or types of core.
 */
export function assignNames(
  definitions: readonly Definition[],
  endpoints: readonly string[],
): Names {
  const type = uniqueNames(takenTypes);
  const value = uniqueNames(
    new Set([...takenValues, ...endpoints.map((name) => name.toLowerCase())]),
  );
  const file = uniqueNames(new Set(["index"]));
  const inAnswers = new Set(
    definitions.filter(({ side }) => side === "answer").map(({ title }) => pascalCase(title)),
  );
  const homes = sharedHomes(definitions);
  const files = new Map<string, string>();
  const names = new Map<Definition, DefinitionNames>();
  // The definitions are sorted, so that an additional operation in the document renames no other type.
  for (const definition of definitions.toSorted(byTitle)) {
    const base = pascalCase(definition.title);
    const isInput = definition.side === "request" && inAnswers.has(base);
    const name = type(isInput ? `${base}Input` : base, "Details");
    const { id, title } = homes.get(definition.home.id) ?? definition.home;
    const home = files.get(id) ?? file(kebabCase(pascalCase(title)), "-schema");
    files.set(id, home);
    names.set(definition, {
      type: name,
      value: value(name.slice(0, 1).toLowerCase() + name.slice(1), "Schema"),
      file: home,
    });
  }
  return names;
}

/**
 * Returns the file for each home of schemas. Homes whose schemas contain each other share a file, because two files
 * must not import each other.
 */
function sharedHomes(definitions: readonly Definition[]): ReadonlyMap<string, Home> {
  const byId = new Map(definitions.map(({ home }) => [home.id, home]));
  const referred = new Map<string, Set<string>>([...byId.keys()].map((id) => [id, new Set()]));
  for (const { home, node } of definitions)
    for (const inner of definitionsIn(node)) referred.get(home.id)?.add(inner.home.id);
  const groups = groupsOf([...byId.keys()], (id) => [...(referred.get(id) ?? [])]);
  return new Map(
    groups.flatMap((group) => {
      const [first] = group
        .flatMap((id) => byId.get(id) ?? [])
        .toSorted(
          (one, other) => one.title.length - other.title.length || (one.id < other.id ? -1 : 1),
        );
      return first === undefined ? [] : group.map((id) => [id, first] as const);
    }),
  );
}

function byTitle(one: Definition, other: Definition): number {
  const [left, right] = [one, other].map(({ home, side, title }) =>
    [home.id.startsWith("/components") ? 0 : 1, home.title, title, side, home.id].join("\n"),
  );
  return (left ?? "") < (right ?? "") ? -1 : left === right ? 0 : 1;
}

/** Returns a function that makes names unique, ignoring case: a taken name gets the suffix, then a number. */
function uniqueNames(taken: ReadonlySet<string>): (name: string, suffix: string) => string {
  const given = new Set<string>();
  const isFree = (name: string): boolean =>
    !taken.has(name.toLowerCase()) && !given.has(name.toLowerCase());
  return (name, suffix) => {
    let found = taken.has(name.toLowerCase()) ? `${name}${suffix}` : name;
    for (let number = 2; !isFree(found); number += 1) found = `${name}${number}`;
    given.add(found.toLowerCase());
    return found;
  };
}
