import type { AcceptedCredential } from "@insurance-gateway/adapter";
import { headerNameFault } from "@insurance-gateway/core/runtime";
import {
  appendToPointer,
  type ImportDocument,
  isObject,
  type JsonObject,
  membersOf,
} from "../document/references.ts";
import { camelCase } from "../names/words.ts";
import type { LossReport } from "../report.ts";
import type { SettingOption } from "./options.ts";

/** The place in a document that declares security schemes. */
export const SCHEMES = "/components/securitySchemes";

/** An API key in a query or a cookie. */
export interface SecuritySetting {
  readonly name: string;
  readonly in: "query" | "cookie";
  /** The insurer's name of the parameter. */
  readonly parameter: string;
}

/**
 * A security scheme that the gateway supports, or the reason why the gateway does not support the scheme, as the end
 * of a sentence.
 */
export type Scheme =
  | { readonly as: "credential"; readonly credential: AcceptedCredential }
  | { readonly as: "setting"; readonly setting: SecuritySetting }
  | { readonly as: "certificate" }
  | { readonly as: "nothing"; readonly why: string };

/**
 * Returns the security schemes that a document declares, by name.
 * @param chosen - the overlay's settings, with the schemes that they replace
 */
export function schemesIn(
  document: ImportDocument,
  chosen: readonly SettingOption[],
): ReadonlyMap<string, Scheme> {
  const { components } = document.root;
  const published = isObject(components) ? membersOf(components.securitySchemes) : [];
  const unique = uniqueSettings(chosen);
  return new Map(
    published.map(([name, value]) => {
      const located = document.follow(value, appendToPointer(SCHEMES, name));
      return [name, schemeOf(located.value, (setting) => unique(name, setting))] as const;
    }),
  );
}

type NameSetting = (setting: Omit<SecuritySetting, "name">) => SecuritySetting;

/**
 * Returns a unique setting name for each scheme: the name in the overlay, or a name that is derived from the scheme.
 */
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
    // Endpoints cannot declare the header `authorization`, but credentials may use it.
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

/**
 * Returns an absolute token URL. A relative URL is omitted: the operator configures it, because the server may differ.
 */
function tokenUrlOf(value: unknown): { readonly tokenUrl?: string } {
  const isAddress = typeof value === "string" && /^https?:\/\/[\x21-\x7e]{1,500}$/.test(value);
  return isAddress ? { tokenUrl: value } : {};
}

export function credentialOf(
  scheme: Scheme | undefined,
  scopes: readonly string[] = [],
): readonly AcceptedCredential[] {
  if (scheme?.as !== "credential") return [];
  const { credential } = scheme;
  return credential.type === "oauth2" && scopes.length > 0
    ? [{ ...credential, scopes }]
    : [credential];
}

export function settingsIn(
  names: readonly string[],
  schemes: ReadonlyMap<string, Scheme>,
): readonly SecuritySetting[] {
  return names.flatMap((name) => {
    const scheme = schemes.get(name);
    return scheme?.as === "setting" ? [scheme.setting] : [];
  });
}

export function headerOf(credential: AcceptedCredential): string {
  return credential.type === "apiKey" ? credential.header.toLowerCase() : "authorization";
}

/** Reports facts about a scheme that the operator must know or configure. */
export function reportScheme(name: string, scheme: Scheme | undefined, report: LossReport): void {
  const add = (effect: string): void =>
    report.add({
      operation: "",
      pointer: appendToPointer("/components/securitySchemes", name),
      effect,
      severity: "loosened",
    });
  if (scheme === undefined)
    add("It is not declared: the operator must find out which credentials it requires.");
  else if (scheme.as === "nothing") add(`The gateway cannot use it: it ${scheme.why}.`);
  else if (scheme.as === "certificate")
    add("The operator configures the client certificate in upstream.tls.client.");
  else if (
    scheme.as === "credential" &&
    scheme.credential.type === "oauth2" &&
    scheme.credential.tokenUrl === undefined
  )
    add("The document does not name the token server's address: the operator must find it out.");
}
