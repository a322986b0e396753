import { compareMembers, differenceOf } from "./annotations.ts";
import { compareOperation } from "./compare-operation.ts";
import { compareRules } from "./compare-rules.ts";
import type { Contract, ContractChange } from "./contract.ts";
import {
  type Effect,
  type Finding,
  type Location,
  levelOf,
  locate,
  partLocation,
  textOf,
} from "./finding.ts";
import { areEqual, type Node, nodeOf } from "./json.ts";
import { requireReadable } from "./readable-contract.ts";
import { type Versions, versionsOf } from "./versions.ts";

/**
 * Compares two versions of a provider's contract. A change is `major` unless the newer version accepts every request of
 * the older version and gives no answer that the older version forbids. A change of only examples and descriptions is
 * `patch`; any other change is `minor`.
 * @returns the changes in the order of paths, methods and pointers; an empty list for equal contracts, even if their
 * `info.version` differs
 * @throws UnreadableContract for a `$ref` to a missing schema or to another part, and for components other than schemas
 */
export function compareContracts(before: Contract, after: Contract): readonly ContractChange[] {
  requireReadable(before);
  requireReadable(after);
  const versions = versionsOf(schemasOf(before), schemasOf(after));
  const [old, current] = [operationsOf(before), operationsOf(after)];
  const operations = inOrder([...new Set([...old.keys(), ...current.keys()])]);
  const changes = [
    ...compareProvider(before, after).toSorted(byPointer),
    ...operations.flatMap((operation) =>
      changesOf(operation, old.get(operation), current.get(operation), versions).toSorted(
        byPointer,
      ),
    ),
  ];
  if (changes.length > 0) return changes;
  return areEqual(withoutVersion(before), withoutVersion(after)) ? [] : [rewrittenDocument];
}

function schemasOf({ components }: Contract): Node {
  return components?.schemas ?? {};
}

/** Returns the operations by method and path without the provider's id. */
function operationsOf({ info, paths }: Contract): ReadonlyMap<string, Node> {
  const { id } = nodeOf(nodeOf(info)["x-provider"]);
  const prefix = `/${String(id)}`;
  return new Map(
    Object.entries(paths).flatMap(([path, item]) => {
      const own = path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
      return Object.entries(item).map(([method, operation]: [string, unknown]) => [
        `${method.toUpperCase()} ${own}`,
        nodeOf(operation),
      ]);
    }),
  );
}

/** Sorts operations by path, then by method. */
function inOrder(operations: readonly string[]): readonly string[] {
  return operations
    .map((operation) => ({ operation, key: operation.split(" ").toReversed().join("\u0000") }))
    .toSorted((one, other) => byText(one.key, other.key))
    .map(({ operation }) => operation);
}

function changesOf(
  operation: string,
  before: Node | undefined,
  after: Node | undefined,
  versions: Versions,
): readonly ContractChange[] {
  const endpoint = String((after ?? before)?.operationId ?? operation);
  const place = { operation, endpoint, pointer: "" };
  if (before === undefined)
    return [{ ...place, change: "added", level: "minor", text: "The endpoint is new." }];
  if (after === undefined)
    return [{ ...place, change: "removed", level: "major", text: "The endpoint is removed." }];
  if (versions.areSame(before, after)) return [];
  return compareOperation(before, after, versions).map((found) => ({
    operation,
    endpoint,
    ...changeOf(found),
  }));
}

function changeOf(finding: Finding): Pick<ContractChange, "pointer" | "change" | "level" | "text"> {
  const { at, change } = finding;
  return { pointer: at.pointer, change, level: levelOf(finding), text: textOf(finding) };
}

/** Compares the data of the provider as a whole. The version is skipped, because every release changes it. */
function compareProvider(before: Contract, after: Contract): readonly ContractChange[] {
  const [old, current] = [nodeOf(before.info), nodeOf(after.info)];
  const [oldProvider, provider] = [nodeOf(old["x-provider"]), nodeOf(current["x-provider"])];
  const at: Location = { direction: "request", part: "the provider", field: "", pointer: "" };
  const inInfo = partLocation(at, ["info"]);
  const inProvider = partLocation(inInfo, ["x-provider"]);
  const findings = [
    ...compareMembers(nodeOf(before), nodeOf(after), ["info", "paths", "components"]).map((found) =>
      locate(found, at),
    ),
    ...compareMembers(old, current, ["version", "x-failures", "x-provider"]).map((found) =>
      locate(found, inInfo),
    ),
    ...compareRules(failuresIn(old), failuresIn(current), inInfo),
    ...Object.entries(providerEffects)
      .flatMap(([name, effect]) => differenceOf(name, oldProvider, provider, effect) ?? [])
      .map((found) => locate(found, inProvider)),
    ...compareMembers(oldProvider, provider, Object.keys(providerEffects)).map((found) =>
      locate(found, inProvider),
    ),
  ];
  return findings.map((found) => ({ operation: null, endpoint: null, ...changeOf(found) }));
}

/** Returns the rules for failures (`x-failures`) that apply to all endpoints. */
function failuresIn({ "x-failures": failures = [] }: Node): Node {
  return { "x-failures": failures };
}

/** The effects of changed provider data. Applications import the package, and the id is part of every path. */
const providerEffects: Readonly<Record<string, Effect>> = {
  id: "other",
  package: "other",
  name: "text",
  lines: "notice",
};

function byPointer(one: ContractChange, other: ContractChange): number {
  return (
    byText(one.pointer, other.pointer) ||
    byText(one.change, other.change) ||
    byText(one.text, other.text)
  );
}

function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The change for documents that differ in text but not in meaning, for example because a schema has a new name. */
const rewrittenDocument: ContractChange = {
  operation: null,
  endpoint: null,
  pointer: "",
  change: "changed",
  level: "minor",
  text: "The document is written in another way, but means the same.",
};

function withoutVersion({ info, ...rest }: Contract): Node {
  const { version: _, ...described } = nodeOf(info);
  return { ...rest, info: described };
}
