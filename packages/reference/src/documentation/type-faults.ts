import { relative } from "node:path";
import type { Endpoint, Schema } from "@insurance-gateway/core/contract";
import { answersOf, bodyOf } from "@insurance-gateway/core/runtime";
import { zod } from "@insurance-gateway/core/schema";
import ts from "typescript";
import * as z from "zod/mini";
import {
  asNode,
  branchesOf,
  isFile,
  membersOf,
  type Node,
  valuesOfSchema,
  valuesOfType,
} from "./alternatives.ts";
import { type PackageTypes, partsOf } from "./package-types.ts";

/**
 * Compares each declared type of a provider's endpoints with the schema of this type. The compiler accepts a schema
 * that allows less than its type: `z.enum(["A"])` for `"A" | "B"`, `z.null()` for `number | null`, a misspelt open
 * enum. A schema that allows less would refuse valid requests.
 * @returns each difference with the endpoint, the JSON Pointer and the file of the type
 */
export function typeFaults(
  types: PackageTypes,
  endpoints: Readonly<Record<string, Endpoint>>,
): readonly string[] {
  return Object.entries(endpoints).flatMap(([name, endpoint]) => {
    const parts = partsOf(types, name);
    const hasPage = parts.some(([part]) => part === "page");
    return parts.flatMap(([part, node]) => {
      // The comparison of a page's type includes the type of its items.
      if (node === undefined || (part === "item" && hasPage)) return [];
      const type = types.checker.getTypeFromTypeNode(node);
      return schemasOf(endpoint, part).flatMap((schema) => {
        const document = z.toJSONSchema(zod(schema), { unrepresentable: "any", io: "input" });
        const compared = part === "item" ? itemOf(document) : asNode(document);
        const place = { at: `${name}, ${part} `, declared: node };
        return [...new Set(compareWhole({ ...types, document }, type, compared, place))];
      });
    });
  });
}

/** Returns the schema of a page's items. */
function itemOf(page: unknown): Node {
  return asNode(asNode(asNode(page).properties?.items).items);
}

/** Returns the schemas of one part of an endpoint; a body and an answer have one for each media type. */
function schemasOf(endpoint: Endpoint, part: string): readonly Schema<unknown>[] {
  if (part === "params" || part === "query" || part === "headers") {
    const schema = endpoint[part];
    return schema === undefined ? [] : [schema];
  }
  if (part === "body") return Object.values(bodyOf(endpoint)?.media ?? {});
  const status = /^response (\d+)$/.exec(part)?.[1];
  return answersOf(endpoint)
    .filter(([declared]) => status === undefined || declared === Number(status))
    .flatMap(([, { media }]) => Object.values(media));
}

interface Comparison extends PackageTypes {
  /** The schema in which references are resolved. */
  readonly document: unknown;
  /** The differences of each pair of a type and a node, without the pointer of the pair. */
  readonly found: Map<string, readonly string[]>;
  /** The differences that the previous pass found. */
  readonly earlier: Comparison["found"];
}

/**
 * Compares a type with a schema in passes, because both can be recursive. The first pass assumes that a pair of a type
 * and a schema is equal if the pair contains itself. Each further pass uses the results of the previous pass. The
 * passes end when no further pair differs.
 */
function compareWhole(
  parts: Omit<Comparison, "found" | "earlier">,
  type: ts.Type,
  node: Node,
  place: Place,
): readonly string[] {
  let earlier: Comparison["found"] = new Map();
  for (;;) {
    const found: Comparison["found"] = new Map();
    const whole = differences({ ...parts, found, earlier }, type, node, place);
    if (numberOfDifferent(found) === numberOfDifferent(earlier))
      return whole.filter((fault) => fault !== REPORTED_ELSEWHERE);
    earlier = found;
  }
}

function numberOfDifferent(found: Comparison["found"]): number {
  return [...found.values()].filter((faults) => faults.length > 0).length;
}

/**
 * The text for a pair that differs and contains itself. The pair's differences are reported only at its first place.
 */
const REPORTED_ELSEWHERE = "";

/** Maximum number of differences of one pair, because a list includes the differences of nested pairs. */
const MAX_DIFFERENCES = 20;

interface Place {
  /** The endpoint, the part and the JSON Pointer so far. */
  readonly at: string;
  readonly declared: ts.Node;
}

function differences(
  comparison: Comparison,
  type: ts.Type,
  node: Node,
  place: Place,
): readonly string[] {
  const branches = branchesOf(comparison.document, node);
  const members = membersOf(comparison.checker, type);
  if (branches.some(isFile)) return [];
  const fromType = valuesOfType(comparison.checker, members);
  const fromSchema = valuesOfSchema(branches);
  if (fromType !== fromSchema)
    return [
      `${place.at}: the type is ${fromType}, the schema ${fromSchema} (${fileOf(comparison, place)})`,
    ];
  const pair = `${typeId(type)} ${JSON.stringify(branches)}`;
  if (!comparison.found.has(pair)) {
    const isDifferent = (comparison.earlier.get(pair) ?? []).length > 0;
    comparison.found.set(pair, isDifferent ? [REPORTED_ELSEWHERE] : []);
    const inside = { ...place, at: "" };
    const all = [
      ...listDifferences(comparison, members, branches, inside),
      ...objectDifferences(comparison, members, branches, inside),
    ];
    comparison.found.set(pair, all.slice(0, MAX_DIFFERENCES));
  }
  const faults = comparison.found.get(pair) ?? [];
  return faults.map((fault) => (fault === REPORTED_ELSEWHERE ? fault : place.at + fault));
}

function listDifferences(
  comparison: Comparison,
  members: readonly ts.Type[],
  branches: readonly Node[],
  place: Place,
): readonly string[] {
  const { checker } = comparison;
  const lists = members.filter((each) => checker.isArrayType(each) || checker.isTupleType(each));
  const nodes = branches.filter(({ type }) => type === "array");
  return bestMatches(lists, nodes, (list, { items, prefixItems }) => {
    // Arrays and tuples have type arguments: the type of an array's items, or the type of each item of a tuple.
    const given = checker.getTypeArguments(list as ts.TypeReference);
    const expected = Array.isArray(prefixItems) ? prefixItems : [items];
    if (given.length !== expected.length)
      return [
        `${place.at}: the type has ${given.length} items, the schema ${expected.length} (${fileOf(comparison, place)})`,
      ];
    return given.flatMap((item, index) =>
      differences(comparison, item, asNode(expected[index]), {
        ...place,
        at: `${place.at}/${given.length > 1 ? index : "*"}`,
      }),
    );
  });
}

function objectDifferences(
  comparison: Comparison,
  members: readonly ts.Type[],
  branches: readonly Node[],
  place: Place,
): readonly string[] {
  const { checker } = comparison;
  const objects = members.filter(
    (each) =>
      (each.flags & ts.TypeFlags.Object) !== 0 &&
      !checker.isArrayType(each) &&
      !checker.isTupleType(each),
  );
  const nodes = branches.filter(({ type }) => type === "object");
  return bestMatches(objects, nodes, (object, node) => [
    ...propertyDifferences(comparison, object, node, place),
    ...mapDifferences(comparison, object, node, place),
  ]);
}

function propertyDifferences(
  comparison: Comparison,
  object: ts.Type,
  { properties = {}, required = [] }: Node,
  place: Place,
): readonly string[] {
  const { checker } = comparison;
  const declared = new Map(checker.getPropertiesOfType(object).map((each) => [each.name, each]));
  const extra = Object.keys(properties).filter((name) => !declared.has(name));
  return [
    ...extra.map((name) => `${place.at}/${name}: only the schema has it`),
    ...[...declared].flatMap(([name, property]) => {
      const here: Place = {
        at: `${place.at}/${name}`,
        declared: property.declarations?.[0] ?? place.declared,
      };
      const file = fileOf(comparison, here);
      if (!Object.hasOwn(properties, name)) return [`${here.at}: only the type has it (${file})`];
      const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
      const mayBeLeftOut = !required.includes(name);
      return [
        ...(isOptional === mayBeLeftOut
          ? []
          : [`${here.at}: only the ${isOptional ? "type" : "schema"} makes it optional (${file})`]),
        ...differences(
          comparison,
          checker.getTypeOfSymbol(property),
          asNode(properties[name]),
          here,
        ),
      ];
    }),
  ];
}

/** Compares a map, `Record<string, Value>`, whose schema has the values under `additionalProperties`. */
function mapDifferences(
  comparison: Comparison,
  object: ts.Type,
  { additionalProperties }: Node,
  place: Place,
): readonly string[] {
  const value = comparison.checker.getIndexTypeOfType(object, ts.IndexKind.String);
  if (value === undefined || typeof additionalProperties !== "object") return [];
  const here = { ...place, at: `${place.at}/*` };
  return differences(comparison, value, asNode(additionalProperties), here);
}

/**
 * Compares each alternative of a type with each alternative of a schema. An alternative without an equal counterpart is
 * reported with its differences from the most similar alternative.
 */
function bestMatches(
  types: readonly ts.Type[],
  nodes: readonly Node[],
  compare: (type: ts.Type, node: Node) => readonly string[],
): readonly string[] {
  const table = types.map((type) => nodes.map((node) => compare(type, node)));
  const columns = nodes.map((_, column) => table.map((row) => row[column] ?? []));
  return [...table, ...columns].flatMap(fewest);
}

function fewest(faults: readonly (readonly string[])[]): readonly string[] {
  return faults.toSorted((one, other) => one.length - other.length)[0] ?? [];
}

function fileOf({ folder }: Comparison, { declared }: Place): string {
  return relative(folder, declared.getSourceFile().fileName);
}

function typeId(type: ts.Type): string {
  // The compiler numbers its types, but its type declarations omit the number.
  return String((type as ts.Type & { readonly id?: number }).id);
}
