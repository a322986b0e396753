import type { AcceptedCredentials } from "@insurance-gateway/adapter";
import {
  appendToPointer,
  type ImportDocument,
  isObject,
  type JsonObject,
  listOf,
  membersOf,
} from "../document/references.ts";
import type { Loss, LossReport } from "../report.ts";
import type { SettingOption } from "./options.ts";
import {
  credentialOf,
  headerOf,
  reportScheme,
  SCHEMES,
  type Scheme,
  type SecuritySetting,
  schemesIn,
  settingsIn,
} from "./security-schemes.ts";
import type { SelectedOperation } from "./select.ts";

/**
 * The credentials with which the gateway authenticates to the insurer, and a function for the credentials of an
 * operation.
 */
export interface ReadSecurity {
  /** The credentials that the insurer accepts; undefined if the document declares no credentials. */
  readonly accepted?: AcceptedCredentials;
  /** API keys in a query or a cookie, which the configuration's credentials cannot express. */
  readonly settings: readonly SecuritySetting[];
  /** True if the insurer requires a client certificate, which belongs to the TLS configuration. */
  readonly certificate: boolean;
  /** Returns the settings that an operation sends and the headers that credentials fill. */
  of(operation: SelectedOperation): OperationSecurity;
}

/** The settings and headers of one operation's security schemes. */
export interface OperationSecurity {
  readonly settings: readonly SecuritySetting[];
  /** The names of the headers that credentials fill, in lower case. */
  readonly headers: readonly string[];
}

/** Names of schemes that are used together. */
type SchemeCombination = readonly string[];

/** Maximum number of credential combinations from which an operator chooses; more are a mistake of the document. */
const MAX_COMBINATIONS = 16;

/**
 * Reads the security schemes that the operations need. Reports each operation that does not accept the credentials
 * that most operations need.
 * @param chosen - the overlay's settings, with the schemes that they replace
 */
export function readSecurity(
  document: ImportDocument,
  operations: readonly SelectedOperation[],
  chosen: readonly SettingOption[],
  report: LossReport,
): ReadSecurity {
  const schemes = schemesIn(document, chosen);
  const isSaid = isStated(document.root);
  const usual: readonly SchemeCombination[] =
    isSaid || schemes.size === 0 ? [[]] : [...schemes.keys()].map((name) => [name]);
  const needs = operations.map((operation) => ({
    operation,
    alternatives: alternativesOf(document.root, operation, usual),
  }));
  const used = new Set(needs.flatMap(({ alternatives }) => alternatives.flat()));
  for (const name of used) reportScheme(name, schemes.get(name), report);
  if (schemes.size > 0 && !isSaid)
    report.add({
      operation: "",
      pointer: SCHEMES,
      effect:
        "No operation names its credentials: the package requires one of the document's schemes for each operation.",
      severity: "loosened",
    });
  let combinations: readonly SchemeCombination[] = [[]];
  for (const { alternatives, operations: group } of mostFrequentFirst(needs)) {
    const usable = alternatives.filter((one) => canBeTogether(one, schemes));
    const next = combineAlternatives(combinations, usable, schemes);
    if (next.length > 0) combinations = next;
    else for (const one of group) report.add(unauthenticated(one, alternatives, usable));
  }
  // Credentials are stored more safely than settings, so combinations with fewer settings come first.
  const [first = [], ...others] = combinations.toSorted(
    (one, other) => settingsIn(one, schemes).length - settingsIn(other, schemes).length,
  );
  const settings = settingsIn(first, schemes);
  const offered = [first, ...others.filter((one) => isSame(settingsIn(one, schemes), settings))];
  const names = new Set(offered.flat());
  const scopes = scopesOf(document.root, operations);
  const accepted = offered.map((one) =>
    one.flatMap((name) => credentialOf(schemes.get(name), scopes.get(name))),
  );
  // An undeclared scheme can be anything, so the operator may configure every kind of credentials.
  const isKnown = [...names].every((name) => schemes.has(name));
  return {
    ...(isKnown && accepted.some((one) => one.length > 0) ? { accepted } : {}),
    settings,
    certificate: [...names].some((name) => schemes.get(name)?.as === "certificate"),
    of(operation) {
      const alternatives = alternativesOf(document.root, operation, usual);
      const own = alternatives.find((one) => one.every((name) => first.includes(name))) ?? [];
      return {
        settings: settingsIn(own, schemes),
        headers: [...names].flatMap((name) => credentialOf(schemes.get(name)).map(headerOf)),
      };
    },
  };
}

function unauthenticated(
  { located, method, path }: SelectedOperation,
  alternatives: readonly SchemeCombination[],
  usable: readonly SchemeCombination[],
): Loss {
  const why =
    usable.length === 0
      ? `none of ${alternatives.map((one) => one.join(" with ")).join(", ")} can be used`
      : "it needs other credentials in a header that most operations need";
  return {
    operation: `${method} ${path}`,
    pointer: appendToPointer(located.pointer, "security"),
    effect: `The insurer will refuse the operation: ${why}.`,
    severity: "lost",
  };
}

/**
 * Returns the alternatives of an operation; an empty alternative means no credentials.
 * @param usual - the alternatives of an operation without its own security: all schemes if no operation declares any
 */
function alternativesOf(
  root: JsonObject,
  { located }: SelectedOperation,
  usual: readonly SchemeCombination[],
): readonly SchemeCombination[] {
  const stated = located.value.security ?? root.security;
  if (stated === undefined) return usual;
  const alternatives = listOf(stated).map((one) => membersOf(one).map(([name]) => name));
  return alternatives.length === 0 ? [[]] : alternatives;
}

/** Reports whether the document declares security for any operation. */
function isStated({ paths, security }: JsonObject): boolean {
  return (
    security !== undefined ||
    membersOf(paths).some(([, item]) =>
      membersOf(item).some(([, operation]) => isObject(operation) && "security" in operation),
    )
  );
}

interface Need {
  readonly operation: SelectedOperation;
  readonly alternatives: readonly SchemeCombination[];
}

/**
 * Returns each set of alternatives once, ordered by the number of its operations: the most frequent set determines the
 * credentials.
 */
function mostFrequentFirst(needs: readonly Need[]): readonly {
  readonly alternatives: Need["alternatives"];
  readonly operations: readonly SelectedOperation[];
}[] {
  const groups = Map.groupBy(needs, ({ alternatives }) => JSON.stringify(alternatives));
  return [...groups.values()]
    .toSorted((one, other) => other.length - one.length)
    .map((group) => ({
      alternatives: group[0]?.alternatives ?? [],
      operations: group.map(({ operation }) => operation),
    }));
}

/** Adds each alternative to each combination of schemes, and omits combinations that contain another combination. */
function combineAlternatives(
  combinations: readonly SchemeCombination[],
  alternatives: readonly SchemeCombination[],
  schemes: ReadonlyMap<string, Scheme>,
): readonly SchemeCombination[] {
  const all = combinations.flatMap((one) =>
    alternatives.map((other) => [...new Set([...one, ...other])]),
  );
  const possible = all.filter((one) => canBeTogether(one, schemes));
  const least = possible.filter(
    (one, index) =>
      !possible.some(
        (other, place) =>
          other.every((name) => one.includes(name)) &&
          (other.length < one.length || (other.length === one.length && place < index)),
      ),
  );
  return least.slice(0, MAX_COMBINATIONS);
}

/** Reports whether the gateway supports all schemes of a combination and no two of the schemes use the same header. */
function canBeTogether(names: SchemeCombination, schemes: ReadonlyMap<string, Scheme>): boolean {
  const found = names.map((name) => schemes.get(name));
  const headers = found.flatMap((scheme) => credentialOf(scheme)).map(headerOf);
  return (
    found.every((scheme) => scheme?.as !== "nothing") && new Set(headers).size === headers.length
  );
}

function isSame(one: readonly SecuritySetting[], other: readonly SecuritySetting[]): boolean {
  return one.length === other.length && one.every((setting) => other.includes(setting));
}

/** Returns the scopes that the operations need, by scheme name. */
function scopesOf(
  root: JsonObject,
  operations: readonly SelectedOperation[],
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>();
  for (const { located } of operations)
    for (const alternative of listOf(located.value.security ?? root.security))
      for (const [name, scopes] of membersOf(alternative)) {
        const known = found.get(name) ?? new Set();
        // A scope is a word of visible ASCII characters (RFC 6749, section 3.3).
        for (const scope of listOf(scopes))
          if (typeof scope === "string" && /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(scope))
            known.add(scope);
        found.set(name, known);
      }
  return new Map([...found].map(([name, scopes]) => [name, [...scopes].toSorted()]));
}
