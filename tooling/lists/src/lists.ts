import { firstEndpointFiles } from "@insurance-gateway/create-provider";
import {
  type DeclaredEndpoint,
  exportedNames,
  readEndpoint,
  readProvider,
} from "./declarations.ts";
import { endpointTable } from "./readme.ts";

/** The contents of files, by path in a package, with `/` between folders. */
export type Files = ReadonlyMap<string, string>;

/**
 * Generates the lists of a provider's package from its files: its `index.ts` files and the table of its README. For the
 * first endpoint, also generates the sandbox and the conformance test.
 * @param files - the package's sources, its conformance test and its README; other files are ignored
 * @returns the lists and the new files by path; the package's other files stay unchanged
 * @throws TypeError if a file of `src/endpoints` does not declare exactly one endpoint, or `src/provider.ts` declares
 * no provider
 */
export function listsOf(files: Files): Files {
  const endpoints = modulesIn(files, "src/endpoints").map(({ stem, text }) => ({
    stem,
    ...readEndpoint(`src/endpoints/${stem}.ts`, text),
  }));
  const readme = files.get("README.md");
  return new Map([
    ["src/index.ts", entryOf(files)],
    ["src/endpoints/index.ts", moduleOf(endpoints.map(({ name, stem }) => exported(name, stem)))],
    ...(endpoints.length === 0 ? [] : forEndpoints(files, endpoints)),
    ...(readme === undefined
      ? []
      : [["README.md", endpointTable(readme, endpoints)] satisfies [string, string]]),
  ]);
}

/** Returns the generated lists and files that only a package with endpoints has. */
function forEndpoints(files: Files, endpoints: readonly DeclaredEndpoint[]): Files {
  const handlers = "src/sandbox/handlers";
  const begun = files.has("src/sandbox.ts") && files.has("test/provider.test.ts");
  const sandbox = files.get("src/sandbox.ts");
  const first = begun ? [] : firstEndpointFiles(readProvider(files.get("src/provider.ts") ?? ""));
  return new Map([
    ["src/examples/index.ts", listOf(files, "src/examples", endpoints, "Examples")],
    // A sandbox that answers only with the examples has no handlers, and so needs no list of handlers.
    ...(sandbox === undefined || sandbox.includes("handlers/index.ts")
      ? [[`${handlers}/index.ts`, listOf(files, handlers, endpoints, "Handler")] as const]
      : []),
    ...[...first].filter(([path]) => !files.has(path)),
  ]);
}

/** Writes the module that applications import: all endpoints, the provider and all types. */
function entryOf(files: Files): string {
  const [provider] = exportedNames("src/provider.ts", files.get("src/provider.ts") ?? "");
  if (provider === undefined) throw new TypeError("src/provider.ts exports no provider");
  return moduleOf([
    `export * from "./endpoints/index.ts";`,
    `export { ${provider} } from "./provider.ts";`,
    ...modulesIn(files, "src/schemas").map(
      ({ stem }) => `export type * from "./schemas/${stem}.ts";`,
    ),
  ]);
}

/** Lists the exports of a folder's files for each endpoint: the endpoint's name with a suffix. */
function listOf(
  files: Files,
  folder: string,
  endpoints: readonly DeclaredEndpoint[],
  suffix: "Examples" | "Handler",
): string {
  const nameOf = new Map(endpoints.map(({ name }) => [`${name}${suffix}`, name]));
  return moduleOf(
    modulesIn(files, folder).flatMap(({ stem, text }) =>
      exportedNames(`${folder}/${stem}.ts`, text).flatMap((constant) => {
        const name = nameOf.get(constant);
        return name === undefined ? [] : [exported(`${constant} as ${name}`, stem)];
      }),
    ),
  );
}

function exported(name: string, stem: string): string {
  return `export { ${name} } from "./${stem}.ts";`;
}

function moduleOf(lines: readonly string[]): string {
  return `${lines.length === 0 ? "export {};" : lines.join("\n")}\n`;
}

/** A source file of a folder. */
interface Module {
  /** The file name without `.ts`. */
  readonly stem: string;
  readonly text: string;
}

/** Sorts names like biome. */
const byName = new Intl.Collator("en", { numeric: true });

/** Returns the files directly in a folder, without its index. */
function modulesIn(files: Files, folder: string): readonly Module[] {
  return [...files]
    .flatMap(([path, text]) => {
      const [, stem] = /^([^/]+)\.ts$/.exec(withoutPrefix(path, `${folder}/`)) ?? [];
      return stem === undefined || stem === "index" ? [] : [{ stem, text }];
    })
    .toSorted((one, other) => byName.compare(one.stem, other.stem));
}

function withoutPrefix(path: string, prefix: string): string {
  return path.startsWith(prefix) ? path.slice(prefix.length) : "";
}
