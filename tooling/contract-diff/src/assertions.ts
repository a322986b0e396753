import { changeOf, isAnnotation, memberChange } from "./annotations.ts";
import { boundRules } from "./bounds.ts";
import type { ChangeKind } from "./contract.ts";
import { type Difference, type Effect, effectOf, type Rule } from "./finding.ts";
import { areEqual, listOf, memberOf, type Node, nodeOf } from "./json.ts";
import { withoutIneffective } from "./listed-values.ts";
import { includesType, typesOf, valuesOf } from "./side.ts";

/**
 * Compares the limits that two schemas set for a value, but not the limits for the fields or items of the value.
 * @param changed - the members that differ
 */
export function compareAssertions(
  before: Node,
  after: Node,
  changed: readonly string[],
): readonly Difference[] {
  const concerned = new Set(changed.flatMap((keyword) => rulesByKeyword.get(keyword) ?? []));
  const differences = [
    ...[...concerned].flatMap(({ compare }) => compare(before, after)),
    ...compareOpaque(before, after, changed),
  ];
  return withoutIneffective(differences, before, after);
}

const rules: readonly Rule[] = [
  { keywords: ["type", "enum", "const"], compare: compareTypes },
  { keywords: ["enum", "const"], compare: compareValues },
  { keywords: ["x-extensible-enum"], compare: compareOpenValues },
  ...boundRules,
  { keywords: ["x-file"], compare: compareFileTypes },
  { keywords: ["x-rules"], compare: compareRules },
];

const rulesByKeyword: ReadonlyMap<string, readonly Rule[]> = new Map(
  [...new Set(rules.flatMap(({ keywords }) => keywords))].map((keyword) => [
    keyword,
    rules.filter(({ keywords }) => keywords.includes(keyword)),
  ]),
);

/** The types of JSON Schema in words. */
const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
  null: "null",
};

/** Returns the name of a type for a sentence of the report. */
export function typeInWords(type: string): string {
  return typeNames[type] ?? type;
}

function compareTypes(before: Node, after: Node): readonly Difference[] {
  const [old, current] = [typesOf(before), typesOf(after)];
  if (old === null || current === null) {
    const types = (old ?? current ?? []).map(typeInWords).join(" or ");
    return current === null
      ? [addedOrRemovedLimit("type", "removed", `no longer has to be ${types}`)]
      : [addedOrRemovedLimit("type", "added", `must now be ${types}`)];
  }
  const gone = old.filter((type) => !includesType(current, type));
  const fresh = current.filter((type) => !includesType(old, type));
  if (gone.includes("number") && current.includes("integer") && fresh.length === 0)
    return [{ ...replacedValues("type", gone, []), predicate: "can now only be a whole number" }];
  return gone.length + fresh.length === 0
    ? []
    : [replacedValues("type", gone.map(typeInWords), fresh.map(typeInWords))];
}

function compareValues(before: Node, after: Node): readonly Difference[] {
  const [old, current] = [valuesOf(before), valuesOf(after)];
  const keyword = (current === null ? before : after).enum === undefined ? "const" : "enum";
  if (old === null || current === null) {
    return current === null
      ? [addedOrRemovedLimit(keyword, "removed", "is no longer limited to a list of values")]
      : [addedOrRemovedLimit(keyword, "added", `can now only be ${listed(current)}`)];
  }
  const gone = old.filter((value) => !includes(current, value));
  const fresh = current.filter((value) => !includes(old, value));
  return gone.length + fresh.length === 0
    ? []
    : [replacedValues(keyword, gone.map(inWords), fresh.map(inWords))];
}

function includes(values: readonly unknown[], value: unknown): boolean {
  return values.some((other) => areEqual(value, other));
}

/** Compares open lists. An open list names the known values but allows every other value. */
function compareOpenValues(before: Node, after: Node): readonly Difference[] {
  const keyword = "x-extensible-enum";
  const [old, current] = [before[keyword], after[keyword]];
  const change = changeOf(old, current);
  if (areEqual(old, current)) return [];
  const [gone, fresh] = [without(old, current), without(current, old)];
  const sentences = [
    ...(fresh.length === 0 ? [] : [`has the new known value ${listed(fresh)} in its open list`]),
    ...(gone.length === 0 ? [] : [`no longer has ${listed(gone)} in its open list of values`]),
  ];
  return (sentences.length === 0 ? ["lists its known values in another order"] : sentences).map(
    (predicate) => ({ keyword, effect: "notice", change, predicate }),
  );
}

function without(values: unknown, others: unknown): readonly unknown[] {
  return listOf(values).filter((value) => !listOf(others).includes(value));
}

/** Lists values for a sentence. */
export function listed(values: readonly unknown[]): string {
  return values.map(inWords).join(" or ");
}

function inWords(value: unknown): string {
  return `\`${JSON.stringify(value)}\``;
}

function compareFileTypes(before: Node, after: Node): readonly Difference[] {
  const keyword = "x-file";
  const old = nodeOf(before[keyword]).mediaTypes;
  const current = nodeOf(after[keyword]).mediaTypes;
  if (old === undefined || current === undefined) {
    if (old === current) return [];
    return current === undefined
      ? [addedOrRemovedLimit(keyword, "removed", "can now be a file of any type")]
      : [
          addedOrRemovedLimit(
            keyword,
            "added",
            `must now be a file of type ${listed(listOf(current))}`,
          ),
        ];
  }
  const [gone, fresh] = [without(old, current), without(current, old)];
  return gone.length + fresh.length === 0
    ? []
    : [replacedValues(keyword, gone.map(fileInWords), fresh.map(fileInWords))];
}

function fileInWords(mediaType: unknown): string {
  return `a file of type ${inWords(mediaType)}`;
}

/** Compares rules across fields. A rule is identified by its field and its code or name; its message is only a text. */
function compareRules(before: Node, after: Node): readonly Difference[] {
  const keyword = "x-rules";
  const [old, current] = [rulesOf(before), rulesOf(after)];
  return [...new Set([...current.keys(), ...old.keys()])].flatMap((identity) => {
    const [earlier, later] = [old.get(identity), current.get(identity)];
    if (later === undefined)
      return [
        addedOrRemovedLimit(
          keyword,
          "removed",
          `no longer has to keep the rule ${nameOf(earlier)}`,
        ),
      ];
    if (earlier === undefined)
      return [addedOrRemovedLimit(keyword, "added", `must now keep the rule ${nameOf(later)}`)];
    if (areEqual(earlier, later)) return [];
    const predicate = `words its rule ${nameOf(later)} in another way`;
    return [{ keyword, effect: "text", change: "changed", predicate }];
  });
}

function rulesOf(schema: Node): ReadonlyMap<string, Node> {
  return new Map(
    listOf(schema["x-rules"]).map((rule) => [identityOf(nodeOf(rule)), nodeOf(rule)] as const),
  );
}

function identityOf({ code, path, rule }: Node): string {
  return JSON.stringify([path, code, rule]);
}

function nameOf({ code, message, path, rule }: Node = {}): string {
  const field = listOf(path)
    .map((name) => `/${String(name)}`)
    .join("");
  const said = message === undefined ? String(rule ?? code) : `${String(code)}: ${String(message)}`;
  return field === "" ? `\`${said}\`` : `\`${field}\` \`${said}\``;
}

/** Keywords that forbid values but cannot be compared: a changed value may allow more, fewer or other values. */
const opaqueKeywords = [
  "pattern",
  "format",
  "contentEncoding",
  "contentMediaType",
  "uniqueItems",
  "contains",
  "maxContains",
  "patternProperties",
  "dependentRequired",
  "dependentSchemas",
  "not",
];

/** Keywords that are compared together with the parts of a value. */
const structuralKeywords = [
  "$ref",
  "properties",
  "required",
  "additionalProperties",
  "propertyNames",
  "items",
  "prefixItems",
  "anyOf",
  "oneOf",
  "allOf",
];

function compareOpaque(
  before: Node,
  after: Node,
  changed: readonly string[],
): readonly Difference[] {
  const effects = { added: "narrower", removed: "wider", changed: "other" } as const;
  return changed
    .filter((keyword) => !isCompared(keyword))
    .map((keyword) => {
      // Equal values of a keyword can refer to different schemas.
      const change = changeOf(memberOf(before, keyword), memberOf(after, keyword));
      // The effect of an unknown keyword is unknown even if it is added or removed.
      return memberChange(
        keyword,
        change,
        opaqueKeywords.includes(keyword) ? effects[change] : "other",
      );
    });
}

function isCompared(keyword: string): boolean {
  return (
    isAnnotation(keyword) || structuralKeywords.includes(keyword) || rulesByKeyword.has(keyword)
  );
}

/** Reports a limit that was added or removed. */
function addedOrRemovedLimit(
  keyword: string,
  change: Exclude<ChangeKind, "changed">,
  predicate: string,
): Difference {
  const effect: Effect = change === "added" ? "narrower" : "wider";
  return { keyword, effect, change, predicate };
}

/** Reports that some possible values were replaced by others. */
function replacedValues(
  keyword: string,
  gone: readonly string[],
  fresh: readonly string[],
): Difference {
  const effect = effectOf(gone.length > 0, fresh.length > 0) ?? "notice";
  const sentences = [
    ...(gone.length === 0 ? [] : [`can no longer be ${gone.join(" or ")}`]),
    ...(fresh.length === 0 ? [] : [`can now be ${fresh.join(" or ")}`]),
  ];
  return { keyword, effect, change: "changed", predicate: sentences.join(", and ") };
}
