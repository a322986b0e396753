import type { AcceptedCredential, AcceptedCredentials } from "@insurance-gateway/core/adapter";
import { headerNameFault } from "@insurance-gateway/core/contract";
import {
  below,
  type ImportDocument,
  isObject,
  type JsonObject,
  listOf,
  membersOf,
} from "../document/references.ts";
import { camelCase } from "../names/words.ts";
import type { Loss, LossReport } from "../report.ts";
import type { SettingOption } from "./options.ts";
import type { SelectedOperation } from "./select.ts";

/** How the gateway proves to the insurer who it is, and what of it each operation needs. */
export interface ReadSecurity {
  /** Undefined where the document says nothing. */
  readonly accepted?: AcceptedCredentials;
  /** API keys that no credential of the configuration can carry: in a query or a cookie. */
  readonly settings: readonly SecuritySetting[];
  /** Whether the insurer wants a client certificate, which the configuration of TLS has. */
  readonly certificate: boolean;
  /** The settings that an operation sends, and the headers that credentials fill. */
  of(operation: SelectedOperation): OperationSecurity;
}

/** An API key in a query or a cookie. */
export interface SecuritySetting {
  readonly name: string;
  readonly in: "query" | "cookie";
  /** The insurer's name of the parameter. */
  readonly parameter: string;
}

/** What of the security schemes an operation has. */
export interface OperationSecurity {
  readonly settings: readonly SecuritySetting[];
  /** In lower case. */
  readonly headers: readonly string[];
}

/** A security scheme as the gateway can use it; or why it cannot, as the end of a sentence. */
type Scheme =
  | { readonly as: "credential"; readonly credential: AcceptedCredential }
  | { readonly as: "setting"; readonly setting: SecuritySetting }
  | { readonly as: "certificate" }
  | { readonly as: "nothing"; readonly why: string };

/** Names of schemes that are used together. */
type Together = readonly string[];

/** More combinations are a mistake of the document: an operator chooses among them. */
const MOST_COMBINATIONS = 16;

/**
 * Reads the security schemes that the operations need. What one set of credentials cannot serve is reported.
 * @param chosen - the settings of the overlay, which name what they cover
 */
export function readSecurity(
  document: ImportDocument,
  operations: readonly SelectedOperation[],
  chosen: readonly SettingOption[],
  report: LossReport,
): ReadSecurity {
  const { components } = document.root;
  const pointer = "/components/securitySchemes";
  const published = isObject(components) ? membersOf(components.securitySchemes) : [];
  const unique = uniqueSettings(chosen);
  const schemes = new Map(
    published.map(([name, value]) => {
      const located = document.follow(value, below(pointer, name));
      return [name, schemeOf(located.value, (setting) => unique(name, setting))] as const;
    }),
  );
  const needs = operations.map((operation) => ({
    operation,
    alternatives: alternativesOf(document.root, operation, [...schemes.keys()]),
  }));
  const used = new Set(needs.flatMap(({ alternatives }) => alternatives.flat()));
  for (const name of used) reportScheme(name, schemes.get(name), report);
  if (schemes.size > 0 && !isStated(document.root))
    report.add({
      operation: "",
      pointer,
      effect: "No operation says which credentials it needs: each is taken to need one of them.",
      severity: "loosened",
    });
  let combinations: readonly Together[] = [[]];
  for (const { alternatives, operations: group } of mostFrequentFirst(needs)) {
    const usable = alternatives.filter((one) => canBeTogether(one, schemes));
    const next = extended(combinations, usable, schemes);
    if (next.length > 0) combinations = next;
    else for (const one of group) report.add(unauthenticated(one, alternatives, usable));
  }
  // An operator configures a credential more safely than a setting.
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
  return {
    ...(accepted.every((one) => one.length === 0) ? {} : { accepted }),
    settings,
    certificate: [...names].some((name) => schemes.get(name)?.as === "certificate"),
    of(operation) {
      const alternatives = alternativesOf(document.root, operation, [...schemes.keys()]);
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
  alternatives: readonly Together[],
  usable: readonly Together[],
): Loss {
  const why =
    usable.length === 0
      ? `none of ${alternatives.map((one) => one.join(" with ")).join(", ")} can be used`
      : "it needs other credentials in a header that most operations need";
  return {
    operation: `${method} ${path}`,
    pointer: below(located.pointer, "security"),
    effect: `The insurer will refuse it: ${why}.`,
    severity: "lost",
  };
}

type NameSetting = (setting: Omit<SecuritySetting, "name">) => SecuritySetting;

/** Names the settings of schemes: as the overlay does, or after the scheme; each name once. */
function uniqueSettings(
  chosen: readonly SettingOption[],
): (scheme: string, setting: Omit<SecuritySetting, "name">) => SecuritySetting {
  const taken = new Set(chosen.map(({ name }) => name));
  return (scheme, setting) => {
    const known = chosen.find(
      (one) => one.in === setting.in && one.parameter === setting.parameter,
    );
    if (known !== undefined) return { ...setting, name: known.name };
    const base = camelCase(scheme);
    let name = base;
    for (let number = 2; taken.has(name); number += 1) name = `${base}${number}`;
    taken.add(name);
    return { ...setting, name };
  };
}

function schemeOf(scheme: JsonObject, nameSetting: NameSetting): Scheme {
  const { flows, in: location, name: parameter, scheme: kind, type } = scheme;
  switch (type) {
    case "apiKey":
      return keyOf(location, String(parameter), nameSetting);
    case "http": {
      const credential = String(kind).toLowerCase();
      if (credential === "basic" || credential === "bearer")
        return { as: "credential", credential: { type: credential } };
      return { as: "nothing", why: `is HTTP ${JSON.stringify(String(kind).slice(0, 40))}` };
    }
    case "oauth2": {
      const flow = isObject(flows) ? flows.clientCredentials : undefined;
      if (!isObject(flow)) return { as: "nothing", why: "needs a person who signs in" };
      return { as: "credential", credential: { type: "oauth2", ...tokenUrlOf(flow.tokenUrl) } };
    }
    case "openIdConnect":
      return { as: "credential", credential: { type: "oauth2" } };
    case "mutualTLS":
      return { as: "certificate" };
    default:
      return { as: "nothing", why: "is of a type that OpenAPI does not have" };
  }
}

function keyOf(location: unknown, parameter: string, nameSetting: NameSetting): Scheme {
  if (location === "header") {
    const header = parameter.toLowerCase();
    // Callers cannot declare `authorization`, but credentials are sent in it.
    const fault = header === "authorization" ? null : headerNameFault(header);
    return fault === null
      ? { as: "credential", credential: { type: "apiKey", header: parameter } }
      : {
          as: "nothing",
          why: `has the header ${JSON.stringify(parameter.slice(0, 40))}, which ${fault}`,
        };
  }
  if (location !== "query" && location !== "cookie")
    return { as: "nothing", why: "is in no header, query or cookie" };
  if (!/^[\w.~-]+$/.test(parameter))
    return { as: "nothing", why: "has a name that cannot be sent" };
  return { as: "setting", setting: nameSetting({ in: location, parameter }) };
}

/** Addresses relative to the insurer's are left to the operator: the document's own server may be another. */
function tokenUrlOf(value: unknown): { readonly tokenUrl?: string } {
  const isAddress = typeof value === "string" && /^https?:\/\/[\x21-\x7e]{1,500}$/.test(value);
  return isAddress ? { tokenUrl: value } : {};
}

/**
 * The alternatives of an operation; an empty list is one that needs nothing. A document that has schemes and says nowhere
 * which operations need them means all.
 */
function alternativesOf(
  root: JsonObject,
  { located }: SelectedOperation,
  schemes: readonly string[],
): readonly Together[] {
  const stated = located.value.security ?? root.security;
  if (stated === undefined)
    return isStated(root) || schemes.length === 0 ? [[]] : schemes.map((name) => [name]);
  const alternatives = listOf(stated).map((one) => membersOf(one).map(([name]) => name));
  return alternatives.length === 0 ? [[]] : alternatives;
}

/** Whether the document says of any operation what it needs. */
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
  readonly alternatives: readonly Together[];
}

/** Each set of alternatives once, those of most operations first: they decide which credentials there are. */
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

/** Each combination with each alternative, without those that have more than another. */
function extended(
  combinations: readonly Together[],
  alternatives: readonly Together[],
  schemes: ReadonlyMap<string, Scheme>,
): readonly Together[] {
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
  return least.slice(0, MOST_COMBINATIONS);
}

/** Whether the gateway can use all of them at once: each, and no two in one header. */
function canBeTogether(names: Together, schemes: ReadonlyMap<string, Scheme>): boolean {
  const found = names.map((name) => schemes.get(name));
  const headers = found.flatMap((scheme) => credentialOf(scheme)).map(headerOf);
  return (
    found.every((scheme) => scheme !== undefined && scheme.as !== "nothing") &&
    new Set(headers).size === headers.length
  );
}

function credentialOf(
  scheme: Scheme | undefined,
  scopes: readonly string[] = [],
): readonly AcceptedCredential[] {
  if (scheme?.as !== "credential") return [];
  const { credential } = scheme;
  return credential.type === "oauth2" && scopes.length > 0
    ? [{ ...credential, scopes }]
    : [credential];
}

function settingsIn(
  names: Together,
  schemes: ReadonlyMap<string, Scheme>,
): readonly SecuritySetting[] {
  return names.flatMap((name) => {
    const scheme = schemes.get(name);
    return scheme?.as === "setting" ? [scheme.setting] : [];
  });
}

function isSame(one: readonly SecuritySetting[], other: readonly SecuritySetting[]): boolean {
  return one.length === other.length && one.every((setting) => other.includes(setting));
}

function headerOf(credential: AcceptedCredential): string {
  return credential.type === "apiKey" ? credential.header.toLowerCase() : "authorization";
}

/** The scopes that the operations need, by the names of their schemes. */
function scopesOf(
  root: JsonObject,
  operations: readonly SelectedOperation[],
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>();
  for (const { located } of operations)
    for (const alternative of listOf(located.value.security ?? root.security))
      for (const [name, scopes] of membersOf(alternative)) {
        const known = found.get(name) ?? new Set();
        // A scope is a word of visible ASCII (RFC 6749, section 3.3).
        for (const scope of listOf(scopes))
          if (typeof scope === "string" && /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(scope))
            known.add(scope);
        found.set(name, known);
      }
  return new Map([...found].map(([name, scopes]) => [name, [...scopes].toSorted()]));
}

/** Reports what the operator has to know, or to do, about a scheme. */
function reportScheme(name: string, scheme: Scheme | undefined, report: LossReport): void {
  const add = (effect: string): void =>
    report.add({
      operation: "",
      pointer: below("/components/securitySchemes", name),
      effect,
      severity: "loosened",
    });
  if (scheme === undefined) add("It is not declared, so that no credentials are known for it.");
  else if (scheme.as === "nothing") add(`The gateway cannot use it: it ${scheme.why}.`);
  else if (scheme.as === "certificate")
    add("The operator configures the client certificate in upstream.tls.client.");
  else if (
    scheme.as === "credential" &&
    scheme.credential.type === "oauth2" &&
    scheme.credential.tokenUrl === undefined
  )
    add("The operator finds out the token server's address: the document does not say it.");
}
