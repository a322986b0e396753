import { dirname, resolve } from "node:path";
import type * as z from "zod";
import { ConfigurationError } from "./configuration-error.ts";
import type { ConfigurationFile } from "./file.ts";
import { diskFiles, type Files } from "./files.ts";
import { removeFaultyParts } from "./left-out.ts";
import { configurationSchema } from "./schema.ts";
import { workspaceConfiguration } from "./workspace.ts";

/** The environment variables, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A checked configuration and its source. */
export interface Configuration extends ConfigurationFile {
  /** The name of the source in error messages: the file's path, or a text about the workspace. */
  readonly source: string;
  /** True if the configuration has the providers of a workspace, because there is no configuration file. */
  readonly workspace: boolean;
  /** The folder in which packages and files are found. */
  readonly folder: string;
}

/**
 * Reads the configuration. Environment variables take precedence over the file, and the file over defaults. Without a
 * file, the configuration has a workspace's providers, each with its sandbox.
 * @throws ConfigurationError with every fault
 */
export function loadConfiguration(environment: Environment, workingFolder: string): Configuration {
  const { configuration, faults, source } = examineConfiguration(
    environment,
    workingFolder,
    diskFiles,
  );
  if (faults.length > 0 || configuration === null) throw new ConfigurationError(source, faults);
  return configuration;
}

/** The content and the faults of a configuration. */
export interface ExaminedConfiguration {
  readonly source: string;
  readonly faults: readonly string[];
  /** The configuration without faulty parts, so that the other parts can be checked; null if nothing remains. */
  readonly configuration: Configuration | null;
  /** The keys of the removed parts: `limits`, `providers[2]`, `accounts.list[3].credentials`. */
  readonly leftOut: readonly string[];
}

/** Reads the configuration, and returns its usable parts and its faults. */
export function examineConfiguration(
  environment: Environment,
  workingFolder: string,
  files: Files,
): ExaminedConfiguration {
  const named = environment.GATEWAY_CONFIG;
  const file = resolve(workingFolder, named ?? "gateway.config.json");
  const found = readContent(file, named !== undefined, workingFolder, files);
  if ("fault" in found)
    return { source: file, faults: [found.fault], configuration: null, leftOut: [] };
  const source = found.isWorkspace ? `no file; the providers of ${workingFolder}` : file;
  const folder = found.isWorkspace ? workingFolder : dirname(file);
  const faults: string[] = [];
  const content = applyEnvironment(found.content, environment, faults);
  const checked = configurationSchema.safeParse(content);
  const issues = checked.success ? [] : checked.error.issues;
  faults.push(...issues.flatMap(faultsOf));
  const { data, leftOut } = checked.success
    ? { data: checked.data, leftOut: [] }
    : removeFaultyParts(content, issues);
  if (data === null) return { source, faults, configuration: null, leftOut };
  faults.push(...repeatedNames(data));
  if (!leftOut.includes("listen")) faults.push(...addressFaults(data));
  const { claim, list } = data.accounts;
  if (
    !leftOut.some((key) => /^accounts(\.claim)?$/.test(key)) &&
    claim === undefined &&
    list.length > 0
  )
    faults.push("accounts.claim: is required to find the account of a token");
  const configuration = {
    ...data,
    source,
    workspace: found.isWorkspace,
    folder,
    data: resolve(folder, data.data),
  };
  return { source, faults, configuration, leftOut };
}

/** Returns the faults of the public address, which must end with the gateway's base path. */
function addressFaults({ listen, reference }: ConfigurationFile): readonly string[] {
  if (reference.address === undefined) return [];
  const { hash, pathname, search, username } = new URL(reference.address);
  return [
    ...(search + hash + username === ""
      ? []
      : ["reference.address: must have no query, fragment or user"]),
    ...(pathname.replace(/\/$/, "") === listen.basePath
      ? []
      : [
          `reference.address: must end with listen.basePath, ${listen.basePath || "which is empty"}`,
        ]),
  ];
}

function repeatedNames({ issuers, submissions }: ConfigurationFile): readonly string[] {
  const repeated = (names: readonly string[], place: (index: number) => string): string[] =>
    names.flatMap((name, index) =>
      names.indexOf(name) < index ? [`${place(index)}: appears twice`] : [],
    );
  return [
    ...repeated(
      issuers.map(({ issuer }) => issuer),
      (index) => `issuers[${index}].issuer`,
    ),
    ...repeated(
      submissions.keys.map(({ id }) => id),
      (index) => `submissions.keys[${index}].id`,
    ),
  ];
}

/** Returns the content of the configuration file. Without a file, returns the configuration of the workspace. */
function readContent(
  file: string,
  mustExist: boolean,
  workingFolder: string,
  files: Files,
): { readonly content: unknown; readonly isWorkspace: boolean } | { readonly fault: string } {
  const found = files.read(file);
  if ("text" in found) {
    const content = parseJson(found.text);
    return content === null
      ? { fault: "the file is not JSON" }
      : { content: content.value, isWorkspace: false };
  }
  if (found.fault === "unreadable") return { fault: "the file cannot be read" };
  if (mustExist) return { fault: "GATEWAY_CONFIG names a file that does not exist" };
  return { content: workspaceConfiguration(workingFolder), isWorkspace: true };
}

function parseJson(text: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    // The parser's error message would quote the configuration file.
    return null;
  }
}

/** Replaces values of the configuration file with the values of environment variables. */
function applyEnvironment(content: unknown, environment: Environment, faults: string[]): unknown {
  if (typeof content !== "object" || content === null || Array.isArray(content)) return content;
  const place = (section: string, host: string, port: string): object => {
    const given = Reflect.get(content, section);
    if (
      given !== undefined &&
      (typeof given !== "object" || given === null || Array.isArray(given))
    )
      return { [section]: given };
    const address = {
      ...given,
      ...(environment[host] === undefined ? {} : { host: environment[host] }),
      ...(environment[port] === undefined ? {} : { port: portOf(port, environment[port], faults) }),
    };
    return { [section]: address };
  };
  return {
    ...content,
    ...place("listen", "HOST", "PORT"),
    ...place("operations", "OPERATIONS_HOST", "OPERATIONS_PORT"),
    ...(environment.GATEWAY_DATA === undefined ? {} : { data: environment.GATEWAY_DATA }),
  };
}

function portOf(name: string, text: string, faults: string[]): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  faults.push(`${name} (environment): must be a port number from 0 to 65535`);
  return 0;
}

/** Converts an issue of zod to faults, each with its path in the configuration and without the invalid value. */
export function faultsOf(issue: z.core.$ZodIssue): readonly string[] {
  const path = issue.path.map((part) =>
    typeof part === "number" ? `[${part}]` : `.${String(part)}`,
  );
  const place = path.join("").replace(/^\./, "") || "(the whole file)";
  if (issue.code === "unrecognized_keys")
    return issue.keys.map(
      (key) =>
        `${path.join("").replace(/^\./, "")}${path.length > 0 ? "." : ""}${key}: is not an accepted key`,
    );
  // zod reports only "Invalid input" for a value that fits no alternative. The best alternative's faults are more exact.
  if (issue.code === "invalid_union" && issue.message === "Invalid input") {
    const byFit = issue.errors.toSorted((one, other) => misfitOf(one) - misfitOf(other));
    const [meant = []] = byFit;
    const inner = meant.map((nested) => ({ ...nested, path: [...issue.path, ...nested.path] }));
    return inner.flatMap(faultsOf);
  }
  return [`${place}: ${issue.message}`];
}

/** Rates how badly a union's alternative fits: 1 if the kind of value is wrong, less if the faults are deeper. */
function misfitOf(issues: readonly z.core.$ZodIssue[]): number {
  const isOther = issues.some(
    ({ path, code }) => path.length === 0 && code !== "custom" && code !== "unrecognized_keys",
  );
  return isOther ? 1 : -issues.length;
}
