import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { FileDigests } from "../configuration/files.ts";
import type { Configuration } from "../configuration/load.ts";
import { secret } from "../configuration/schema/secret.ts";

/** The rule for a configuration key: either a reload or only a new process applies a change of the key. */
export interface KeyRule {
  readonly counts: "at a reload" | "in a new process";
  /** The reason why a change needs a new process, or the state that a reload keeps. */
  readonly why?: string;
}

const reloaded: KeyRule = { counts: "at a reload" };
const inNewProcess = (why: string): KeyRule => ({ counts: "in a new process", why });

/**
 * The rules of all configuration keys. A key that is not in the table has the rule of its longest prefix: `listen.port`
 * has the rule of `listen`. The rules of `listen.tls` and `operations.tls` are for TLS that is turned on or off; those
 * of `issuers[]` and `providers[]` are for an added or removed item.
 */
export const keyRules: Readonly<Record<string, KeyRule>> = {
  $schema: reloaded,
  listen: inNewProcess("the address is open, and its paths are known to callers"),
  "listen.tls": inNewProcess("the address cannot turn TLS on or off while it is open"),
  "listen.tls.certificate": { ...reloaded, why: "open connections keep the old certificate" },
  "listen.tls.key": { ...reloaded, why: "open connections keep the old certificate" },
  operations: inNewProcess("the address is open"),
  "operations.tls": inNewProcess("the address cannot turn TLS on or off while it is open"),
  "operations.tls.certificate": {
    ...reloaded,
    why: "open connections keep the old certificate",
  },
  "operations.tls.key": { ...reloaded, why: "open connections keep the old certificate" },
  "operations.accountsToken": reloaded,
  limits: reloaded,
  "limits.headerBytes": inNewProcess("Node reads it when the address is opened"),
  overload: reloaded,
  observation: reloaded,
  drift: reloaded,
  shutdown: reloaded,
  reference: inNewProcess("pages and printed addresses contain it"),
  data: inNewProcess("the stored data are there"),
  issuers: reloaded,
  authentication: reloaded,
  accounts: inNewProcess("submissions with an unknown outcome belong to the current accounts"),
  "accounts.list[].credentials": {
    ...reloaded,
    why: "a fetched token is used until it expires, unless the account has changed",
  },
  "accounts.list[].settings": reloaded,
  "accounts.list[].quotas": { ...reloaded, why: "the usage of the current day stays counted" },
  "accounts.timeZone": inNewProcess("the stored usage was counted by the days of this time zone"),
  "accounts.quotas": { ...reloaded, why: "the usage of the current day stays counted" },
  providers: inNewProcess("routes and code are loaded at the start"),
  "providers[].upstream.credentials": {
    ...reloaded,
    why: "a fetched token is used until it expires, unless the account has changed",
  },
  "providers[].upstream.tls": { ...reloaded, why: "calls in progress finish on their connections" },
  "providers[].timeouts": reloaded,
  "providers[].retries": reloaded,
  "providers[].breaker": { ...reloaded, why: "an open breaker stays open for its time" },
  "providers[].bulkhead": { ...reloaded, why: "calls that have a slot keep it" },
  "providers[].callerLimit": { ...reloaded, why: "the current window keeps its length" },
  "providers[].answers": reloaded,
  "providers[].failures": reloaded,
  "providers[].settings": reloaded,
  "providers[].compare": reloaded,
  "providers[].maintenance": reloaded,
  submissions: inNewProcess("all processes must write and search the store in the same way"),
  "submissions.queriesPerSecond": reloaded,
};

/** Returns the rule of a key such as `providers[2].timeouts.totalMs`. */
export function ruleOf(key: string): KeyRule {
  const pattern = key.replace(/\[\d+\]/g, "[]");
  const parts = pattern.match(/^\$?\w+|\.\w+|\[\]/g) ?? [];
  const prefixes = parts.map((_, index) => parts.slice(0, index + 1).join(""));
  const known = prefixes.findLast((prefix) => Object.hasOwn(keyRules, prefix));
  // A reload that applies a key without a rule may be unsafe.
  return keyRules[known ?? ""] ?? inNewProcess("it has no rule");
}

/**
 * Returns the keys that differ between two configurations. The result has one key for an object or a list item that
 * exists in only one configuration, and one key for a list of plain values.
 */
export function changedKeys(before: Configuration, after: Configuration): readonly string[] {
  const { folder: _folder, source: _source, workspace: _workspace, ...old } = before;
  const { folder: _newFolder, source: _newSource, workspace: _newWorkspace, ...now } = after;
  return differences(old, now, "");
}

/** Returns the keys of the secrets whose files have changed. */
export function changedSecrets(
  configuration: Configuration,
  before: FileDigests,
  after: FileDigests,
): readonly string[] {
  return secretFiles(configuration, "")
    .filter(({ file }) => {
      const path = resolve(configuration.folder, file);
      const digest = before.get(path);
      return digest !== undefined && digest !== after.get(path);
    })
    .map(({ key }) => key);
}

function differences(before: unknown, after: unknown, key: string): readonly string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after) && hasObjects(before) && hasObjects(after)) {
    const longest = Math.max(before.length, after.length);
    return Array.from({ length: longest }, (_, index) =>
      differences(before[index], after[index], `${key}[${index}]`),
    ).flat();
  }
  if (!isObject(before) || !isObject(after)) return [key];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) =>
    differences(before[name], after[name], key === "" ? name : `${key}.${name}`),
  );
}

function secretFiles(
  value: unknown,
  key: string,
): readonly { readonly key: string; readonly file: string }[] {
  const named = secret.safeParse(value);
  if (named.success) return "file" in named.data ? [{ key, file: named.data.file }] : [];
  if (Array.isArray(value))
    return value.flatMap((item, index) => secretFiles(item, `${key}[${index}]`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    secretFiles(item, key === "" ? name : `${key}.${name}`),
  );
}

function hasObjects(list: readonly unknown[]): boolean {
  return list.every(isObject);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
