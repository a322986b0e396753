import { compareMembers, differenceOf } from "./annotations.ts";
import { compareRules } from "./compare-rules.ts";
import {
  type Effect,
  type Finding,
  findingAt,
  type Location,
  locate,
  partLocation,
} from "./finding.ts";
import { areEqual, listOf, type Node, namesOf, nodeOf } from "./json.ts";
import { createReport, type Versions } from "./versions.ts";

/** Compares two versions of one operation. */
export function compareOperation(
  before: Node,
  after: Node,
  versions: Versions,
): readonly Finding[] {
  const at: Location = { direction: "request", part: "the endpoint", field: "", pointer: "" };
  return [
    ...compareKind(before, after, at),
    ...compareParameters(before, after, at, versions),
    ...compareBody(before.requestBody, after.requestBody, at, versions),
    ...compareAnswers(nodeOf(before.responses), nodeOf(after.responses), at, versions),
    ...compareRules(
      nodeOf(before["x-outcome-rules"]),
      nodeOf(after["x-outcome-rules"]),
      partLocation(at, ["x-outcome-rules"]),
    ),
    ...breakingMembers
      .flatMap((keyword) => differenceOf(keyword, before, after, "other") ?? [])
      .map((found) => locate(found, at)),
    ...compareMembers(before, after, comparedMembers).map((found) => locate(found, at)),
  ];
}

/**
 * Members of an operation on which callers of the older version rely: the name of the client's method, and the
 * parameters for paging.
 */
const breakingMembers = ["operationId", "x-paging"];
const comparedMembers = [
  "parameters",
  "requestBody",
  "responses",
  "x-kind",
  "x-outcome-rules",
  ...breakingMembers,
];

/** The behaviour of a call of each kind, in words. */
const kindsInWords: Readonly<Record<string, string>> = {
  lookup: "its answers are cached, and may be older ones while the insurer fails",
  read: "it reads private data, is never cached and may be repeated",
  search: "it answers with one page of a list",
  document: "it answers with a file",
  quote: "it calculates, stores nothing at the insurer and may be repeated",
  submission: "it acts at the insurer, is never repeated by itself and takes an `Idempotency-Key`",
};

function compareKind(before: Node, after: Node, at: Location): readonly Finding[] {
  const [old = "", current = ""] = [before["x-kind"], after["x-kind"]].map(String);
  if (old === current) return [];
  const meaning = kindsInWords[current] ?? "calls are treated in another way";
  const predicate = `was a ${old} and is now a ${current}: ${meaning}`;
  return [locate({ keyword: "x-kind", effect: "other", change: "changed", predicate }, at)];
}

function compareParameters(
  before: Node,
  after: Node,
  at: Location,
  versions: Versions,
): readonly Finding[] {
  const [old, current] = [parametersOf(before), parametersOf(after)];
  return [...new Set([...current.keys(), ...old.keys()])].flatMap((key) => {
    const [earlier, later] = [old.get(key), current.get(key)];
    const { in: location, name } = later?.parameter ?? earlier?.parameter ?? {};
    const part = `the ${String(location)} parameter \`${String(name)}\``;
    const index = later?.index ?? earlier?.index ?? 0;
    const place = partLocation({ ...at, part }, ["parameters", String(index)]);
    if (later === undefined) return [removedPart("narrower", place)];
    if (earlier === undefined) return [addedPart(later.parameter.required === true, place)];
    return compareParameter(earlier.parameter, later.parameter, place, versions);
  });
}

interface PlacedParameter {
  readonly parameter: Node;
  readonly index: number;
}

/** Returns the parameters by place and name, with header names in lower case. */
function parametersOf({ parameters }: Node): ReadonlyMap<string, PlacedParameter> {
  return new Map(
    listOf(parameters).map((value, index) => {
      const parameter = nodeOf(value);
      const { in: place, name } = parameter;
      const key = place === "header" ? String(name).toLowerCase() : String(name);
      return [JSON.stringify([place, key]), { parameter, index }];
    }),
  );
}

function compareParameter(
  before: Node,
  after: Node,
  at: Location,
  versions: Versions,
): readonly Finding[] {
  const written = ["style", "explode"].filter(
    (keyword) => !areEqual(before[keyword], after[keyword]),
  );
  return [
    ...compareRequired(before, after, at),
    ...written.map((keyword) => {
      const predicate = "is written in the query in another way";
      return locate({ keyword, effect: "other", change: "changed", predicate }, at);
    }),
    ...compareSchemaOf(before, after, at, versions),
    ...compareMembers(before, after, ["name", "in", "required", "style", "explode", "schema"]).map(
      (found) => locate(found, at),
    ),
  ];
}

function compareRequired(before: Node, after: Node, at: Location): readonly Finding[] {
  const [was, is] = [before.required === true, after.required === true];
  if (was === is) return [];
  const effect = is ? "narrower" : "wider";
  const predicate = is ? "is now required" : "is now optional";
  return [locate({ keyword: "required", effect, change: "changed", predicate }, at)];
}

function compareBody(
  before: unknown,
  after: unknown,
  at: Location,
  versions: Versions,
): readonly Finding[] {
  const place = partLocation({ ...at, part: "the request body" }, ["requestBody"]);
  if (after === undefined) return before === undefined ? [] : [removedPart("narrower", place)];
  const [old, current] = [nodeOf(before), nodeOf(after)];
  if (before === undefined) return [addedPart(current.required === true, place)];
  return [
    ...compareRequired(old, current, place),
    ...compareContent(old, current, place, versions),
    ...compareMembers(old, current, ["required", "content"]).map((found) => locate(found, place)),
  ];
}

function compareAnswers(
  before: Node,
  after: Node,
  at: Location,
  versions: Versions,
): readonly Finding[] {
  return namesOf(before, after).flatMap((status) => {
    const answer = { ...at, direction: "answer", part: `the answer ${status}` } as const;
    const place = partLocation(answer, ["responses", status]);
    // Clients treat a status that their version does not declare as a failure of the insurer.
    if (!Object.hasOwn(before, status))
      return [findingAt({ change: "added", effect: "wider", predicate: "is new" }, place)];
    if (!Object.hasOwn(after, status)) return [removedPart("narrower", place)];
    const [old, current] = [nodeOf(before[status]), nodeOf(after[status])];
    return [
      ...compareHeaders(nodeOf(old.headers), nodeOf(current.headers), place, versions),
      ...compareContent(old, current, place, versions),
      ...compareMembers(old, current, ["headers", "content"]).map((found) => locate(found, place)),
    ];
  });
}

function compareHeaders(
  before: Node,
  after: Node,
  at: Location,
  versions: Versions,
): readonly Finding[] {
  return namesOf(before, after).flatMap((name) => {
    const place = partLocation({ ...at, part: `the header \`${name}\` of ${at.part}` }, [
      "headers",
      name,
    ]);
    if (!Object.hasOwn(before, name))
      return [findingAt({ change: "added", effect: "narrower", predicate: "is new" }, place)];
    if (!Object.hasOwn(after, name)) return [removedPart("wider", place)];
    const [old, current] = [nodeOf(before[name]), nodeOf(after[name])];
    return [
      ...compareSchemaOf(old, current, place, versions),
      ...compareMembers(old, current, ["schema"]).map((found) => locate(found, place)),
    ];
  });
}

/** Compares a body in each of its media types. */
function compareContent(
  before: Node,
  after: Node,
  at: Location,
  versions: Versions,
): readonly Finding[] {
  const [old, current] = [nodeOf(before.content), nodeOf(after.content)];
  const names = namesOf(old, current);
  return names.flatMap((mediaType) => {
    const part = names.length === 1 ? at.part : `${at.part} as \`${mediaType}\``;
    const place = partLocation({ ...at, part }, ["content", mediaType]);
    if (!Object.hasOwn(current, mediaType)) return [removedMediaType(current, place)];
    if (!Object.hasOwn(old, mediaType)) return [addedMediaType(old, place)];
    const [earlier, later] = [nodeOf(old[mediaType]), nodeOf(current[mediaType])];
    return [
      ...compareSchemaOf(earlier, later, place, versions),
      ...compareMembers(earlier, later, ["schema"]).map((found) => locate(found, place)),
    ];
  });
}

/** Reports a removed media type. Callers may send this type, or may request it with `Accept`. */
function removedMediaType(remaining: Node, at: Location): Finding {
  // If an answer no longer has a body, callers miss the data that they used to read.
  const isEmpty = Object.keys(remaining).length === 0;
  const predicate = isEmpty ? "no longer has a body" : "is no longer available";
  return findingAt({ change: "removed", effect: "other", predicate }, at);
}

/**
 * Reports a new media type. An answer with this type reaches only callers that accept it, unless there was no body
 * before.
 */
function addedMediaType(old: Node, at: Location): Finding {
  const wasEmpty = Object.keys(old).length === 0;
  const effect = at.direction === "request" || wasEmpty ? "wider" : "narrower";
  const predicate = wasEmpty ? "now has a body" : "is new";
  return findingAt({ change: "added", effect, predicate }, at);
}

function compareSchemaOf(
  before: Node,
  after: Node,
  at: Location,
  versions: Versions,
): readonly Finding[] {
  return createReport(versions).compare(
    { schema: before.schema ?? true, schemas: versions.before },
    { schema: after.schema ?? true, schemas: versions.after },
    partLocation(at, ["schema"]),
  );
}

function removedPart(effect: Effect, at: Location): Finding {
  return findingAt({ change: "removed", effect, predicate: "is removed" }, at);
}

function addedPart(isRequired: boolean, at: Location): Finding {
  const effect = isRequired ? "narrower" : "wider";
  const predicate = `is new and ${isRequired ? "required" : "optional"}`;
  return findingAt({ change: "added", effect, predicate }, at);
}
