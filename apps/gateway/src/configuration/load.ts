import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type * as z from "zod";
import { ConfigurationError } from "./configuration-error.ts";
import type { ConfigurationFile } from "./file.ts";
import { configurationSchema } from "./schema.ts";
import { workspaceConfiguration } from "./workspace.ts";

/** The environment variables, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A checked configuration and where it came from. */
export interface Configuration extends ConfigurationFile {
  /** The file, or what stands in its place, as errors name it. */
  readonly source: string;
  /** Whether there is no file, and the providers are a workspace's. */
  readonly workspace: boolean;
  /** The folder that packages and files are found from. */
  readonly folder: string;
}

/**
 * Reads the configuration: environment over file over default. Without a file, a workspace's providers, each
 * with its sandbox.
 * @throws ConfigurationError with every fault
 */
export function loadConfiguration(environment: Environment, workingFolder: string): Configuration {
  const named = environment.GATEWAY_CONFIG;
  const file = resolve(workingFolder, named ?? "gateway.config.json");
  const text = read(file, named !== undefined);
  const content = text === null ? workspaceConfiguration(workingFolder) : parseJson(text, file);
  const source = text === null ? `no file; the providers of ${workingFolder}` : file;
  const folder = text === null ? workingFolder : dirname(file);
  const faults: string[] = [];
  const overridden = override(content, environment, faults);
  const result = configurationSchema.safeParse(overridden);
  if (!result.success) faults.push(...result.error.issues.flatMap(faultsOf));
  else faults.push(...repeatedNames(result.data), ...addressFaults(result.data));
  if (faults.length > 0 || !result.success) throw new ConfigurationError(source, faults);
  return {
    ...result.data,
    source,
    workspace: text === null,
    folder,
    data: resolve(folder, result.data.data),
  };
}

/** The address that callers are told leads to this gateway only where it ends with the prefix that this gateway has. */
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
      names.indexOf(name) < index ? [`${place(index)}: is there twice`] : [],
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

function read(file: string, mustExist: boolean): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (missing && !mustExist) return null;
    throw new ConfigurationError(file, [
      missing ? "GATEWAY_CONFIG names a file that does not exist" : "the file cannot be read",
    ]);
  }
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ConfigurationError(file, ["the file is not JSON"]);
  }
}

/** Puts what the environment says over what the file says. */
function override(content: unknown, environment: Environment, faults: string[]): unknown {
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

/** What an issue of a schema means, each fault with its path; never a value. */
export function faultsOf(issue: z.core.$ZodIssue): readonly string[] {
  const path = issue.path.map((part) =>
    typeof part === "number" ? `[${part}]` : `.${String(part)}`,
  );
  const place = path.join("").replace(/^\./, "") || "(the whole file)";
  if (issue.code === "unrecognized_keys")
    return issue.keys.map(
      (key) =>
        `${path.join("").replace(/^\./, "")}${path.length > 0 ? "." : ""}${key}: is not known`,
    );
  // A union says that no alternative fits; what is wrong with the one that was meant says more.
  if (issue.code === "invalid_union" && issue.message === "Invalid input") {
    const byFit = issue.errors.toSorted((one, other) => misfit(one) - misfit(other));
    const [meant = []] = byFit;
    const inner = meant.map((nested) => ({ ...nested, path: [...issue.path, ...nested.path] }));
    return inner.flatMap(faultsOf);
  }
  return [`${place}: ${issue.message}`];
}

/** How far an alternative is from what was written: another kind of value altogether, or the fewer faults in detail. */
function misfit(issues: readonly z.core.$ZodIssue[]): number {
  const isOther = issues.some(
    ({ path, code }) => path.length === 0 && code !== "custom" && code !== "unrecognized_keys",
  );
  return isOther ? 1 : -issues.length;
}
