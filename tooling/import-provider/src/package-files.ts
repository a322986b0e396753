import { nameProvider, Refusal } from "@insurance-gateway/create-provider";
import { type Files, listsOf } from "@insurance-gateway/lists";
import type { ImportedProvider } from "./import-provider.ts";
import { kebabCase } from "./names/words.ts";
import { envelopeOf } from "./operations/envelope.ts";
import type { ImportedCall } from "./operations/model.ts";
import type { Definition } from "./schemas/model.ts";
import { docComment } from "./source/comment.ts";
import { endpointFile } from "./source/endpoint-file.ts";
import { exampleFile } from "./source/example-file.ts";
import {
  call,
  exportedConstant,
  type Layout,
  literal,
  object,
  print,
  scalar,
} from "./source/layout.ts";
import { credentialsSection } from "./source/readme.ts";
import { schemaFile } from "./source/schema-file.ts";
import { type PackageNames, scaffoldOf, soapRanges, standaloneManifest } from "./standalone.ts";
import { soapAdapterFile, soapDialectFile } from "./wsdl/soap-files.ts";

/** The names of a provider. */
export interface ProviderName {
  readonly id: string;
  /** The display name. Default: derived from the id. */
  readonly name?: string;
  /** The name of a package outside this repository. Default: a package of this repository. */
  readonly packageName?: string;
}

/**
 * Returns the files of a provider's package that an import writes, by path. The same document, overlay and kept files
 * result in the same bytes.
 * @param kept - files of the package that a person wrote; the generated lists of the package include these files
 */
export function packageFiles(
  provider: ProviderName,
  imported: ImportedProvider,
  kept: Files,
): Files {
  const names = namesOf(provider);
  const template = scaffoldOf(names);
  const written = new Map([
    ...template,
    ...sourceFiles(names.id, imported),
    ["src/provider.ts", providerFile(names, imported)],
    ...wireFiles(names, imported),
    ["test/provider.test.ts", testFile(names)],
    ["package.json", manifestOf(names, imported)],
  ]);
  const readme = kept.get("README.md") ?? template.get("README.md") ?? "";
  const operator = { ...names, security: imported.security, settings: settingNames(imported) };
  const whole = new Map([...written, ...kept, ["README.md", credentialsSection(readme, operator)]]);
  // The generated lists are always written again, even if a person changed them.
  return new Map(
    [...written, ...listsOf(whole)].toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}

/**
 * Returns the names of a provider in its files.
 * @throws Refusal if the gateway could not serve the provider's id, or if a name is not valid in the files
 */
export function namesOf({ id, name, packageName }: ProviderName): PackageNames {
  if (packageName !== undefined && !PACKAGE_NAME.test(packageName))
    throw new Refusal(
      `"${packageName}" cannot be the name of a package. Use lower-case letters, digits, dashes and dots, after a scope if it has one: @broker/provider-f`,
    );
  return { ...nameProvider(id, name), ...(packageName === undefined ? {} : { packageName }) };
}

/** Matches the names that npm accepts for new packages. */
const PACKAGE_NAME = /^(?=.{1,214}$)(@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/;

function sourceFiles(provider: string, { endpoints, examples, names }: ImportedProvider): Files {
  const files = new Map<string, string>();
  const homes = new Map<string, Definition[]>();
  for (const [definition, { file }] of names)
    homes.set(file, [...(homes.get(file) ?? []), definition]);
  for (const [file, definitions] of homes)
    files.set(`src/schemas/${file}.ts`, schemaFile(file, definitions, names));
  for (const endpoint of endpoints) {
    const file = `${kebabCase(endpoint.name)}.ts`;
    const example = examples.get(endpoint.name);
    files.set(`src/endpoints/${file}`, endpointFile(endpoint, provider, names));
    if (example !== undefined) files.set(`src/examples/${file}`, exampleFile(endpoint, example));
  }
  return files;
}

function providerFile({ constant, id, name }: PackageNames, imported: ImportedProvider): string {
  const { options, title, version } = imported;
  const { failures, lines = [] } = options;
  const settings = settingNames(imported);
  const source = [title, version].filter((text) => text !== "").join(" ");
  const members: (readonly [string, Layout] | null)[] = [
    ["id", scalar(id)],
    ["name", scalar(name)],
    ["lines", literal(lines)],
    settings.length === 0 ? null : ["", "settings"],
    failures === undefined ? null : ["failures", literal(failures)],
    ["", "endpoints"],
  ];
  const imports = [
    `import { defineProvider, type Provider${settings.length === 0 ? "" : ", type Schema"} } from "@insurance-gateway/core/contract";`,
    ...(settings.length === 0
      ? []
      : [`import { strict, string } from "@insurance-gateway/core/schema";`]),
    `import * as endpoints from "./endpoints/index.ts";`,
  ];
  const about = source === "" ? `${name}.` : `${name}. Imported from its document "${source}".`;
  return [
    `${imports.join("\n")}\n`,
    ...(settings.length === 0 ? [] : [settingsText(name, settings)]),
    `${docComment(about, 0)}export const ${constant}: Provider<typeof endpoints> = defineProvider(${print(object(members, true))});\n`,
  ].join("\n");
}

/**
 * Returns the names of the operator's settings, which callers cannot send: parameters, and API keys outside headers.
 */
function settingNames({ options, security }: ImportedProvider): readonly string[] {
  return [...new Set([...(options.settings ?? []), ...security.settings].map(({ name }) => name))];
}

function settingsText(name: string, names: readonly string[]): string {
  const fields = names.map((setting) => `  ${setting}: string;\n`).join("");
  const shape = object(
    names.map((setting) => [setting, "string({ minLength: 1 })"]),
    true,
  );
  return [
    `/** The operator's settings for ${name}. Callers cannot send them. */`,
    `export interface Settings {\n${fields}}\n`,
    `const settings: Schema<Settings> = strict<Settings>(${print(shape)});\n`,
  ].join("\n");
}

/** Returns the adapter, the dialect and the simulated insurer of a provider. */
function wireFiles({ constant, name }: PackageNames, imported: ImportedProvider): Files {
  const { soap } = imported;
  const isSoap = soap !== undefined;
  return new Map([
    [
      "src/dialect.ts",
      isSoap
        ? soapDialectFile(constant, name, imported, soap)
        : dialectFile(constant, name, imported),
    ],
    [
      "src/adapter.ts",
      isSoap ? soapAdapterFile(constant, name) : adapterFile(constant, name, imported),
    ],
    ["src/sandbox.ts", sandboxFile(constant, name, imported)],
  ]);
}

/** Returns the differences between the insurer's requests and the declarations, by endpoint name. */
function callDifferencesOf({
  endpoints,
  options: { envelope },
}: ImportedProvider): Readonly<Record<string, object>> {
  return Object.fromEntries(
    endpoints.flatMap((endpoint) => {
      const { call, name } = endpoint;
      const wrapped = envelope && envelopeOf(endpoint, envelope);
      const differing = {
        ...differences(call),
        ...(wrapped === undefined ? {} : { envelope: wrapped }),
      };
      return Object.keys(differing).length === 0 ? [] : [[name, differing] as const];
    }),
  );
}

function differences({ cookies, path, query, settings }: ImportedCall): object {
  const parts = Object.entries({ path, query, cookies, settings: filled(settings) });
  return Object.fromEntries(
    parts.filter(([, part]) => typeof part === "string" || Object.keys(part ?? {}).length > 0),
  );
}

function filled(settings: ImportedCall["settings"]): object {
  return Object.fromEntries(
    Object.entries(settings).filter(([, part]) => Object.keys(part).length > 0),
  );
}

function dialectFile(constant: string, name: string, imported: ImportedProvider): string {
  const calls = callDifferencesOf(imported);
  const value = Object.keys(calls).length === 0 ? "{}" : literal(calls);
  return `import type { PublishedCalls } from "@insurance-gateway/adapter";
import type { ${constant} } from "./provider.ts";

/** Differences between the declarations and the requests that ${name} expects. */
${exportedConstant("calls", "PublishedCalls", `typeof ${constant}`, value)}`;
}

function adapterFile(
  constant: string,
  name: string,
  { options: { envelope }, security: { accepted } }: ImportedProvider,
): string {
  const options = object([
    ["", "calls"],
    accepted === undefined ? null : ["credentials", literal(accepted)],
    envelope === undefined ? null : ["envelope", literal(envelope)],
  ]);
  const head = "export const adapter: Adapter = ";
  const value = print(call("publishedDialect", constant, options), 0, head.length, 1);
  return `import { type Adapter, publishedDialect } from "@insurance-gateway/adapter";
import { calls } from "./dialect.ts";
import { ${constant} } from "./provider.ts";

/** Translates calls into requests to ${name}, as its document describes them. */
${head}${value};
`;
}

function sandboxFile(constant: string, name: string, imported: ImportedProvider): string {
  const isSoap = imported.soap !== undefined;
  const wire = isSoap ? "dialect" : "calls";
  const members = settingNames(imported).map((setting) => [setting, scalar("example")] as const);
  const simulation = object([
    isSoap ? [wire, call("soapInsurer", constant, wire)] : ["", wire],
    members.length === 0 ? null : ["settings", object(members)],
  ]);
  const head = "export const sandbox: AnySandbox = ";
  const value = print(call("simulated", constant, "examples", simulation), 0, head.length, 1);
  const soapInsurer = `import { soapInsurer } from "@insurance-gateway/adapter/sandbox/soap";\n`;
  return `import { type AnySandbox, simulated } from "@insurance-gateway/adapter/sandbox";
${isSoap ? soapInsurer : ""}import { ${wire} } from "./dialect.ts";
import * as examples from "./examples/index.ts";
import { ${constant} } from "./provider.ts";

/** The simulated insurer behind ${name}: it answers with the examples and stores submissions. */
${head}${value};
`;
}

function testFile({ constant, id, name }: PackageNames): string {
  return `import { conformanceFaults } from "@insurance-gateway/testkit";
import { expect, it } from "vitest";
import { adapter } from "../src/adapter.ts";
import * as examples from "../src/examples/index.ts";
import { ${constant} } from "../src/index.ts";
import { sandbox } from "../src/sandbox.ts";

it("${name} passes the conformance tests for every provider", async () => {
  const subject = { id: "${id}", provider: ${constant}, examples, sandbox, adapter };
  expect(await conformanceFaults(subject)).toEqual([]);
}, 600_000);
`;
}

/**
 * Returns the scaffold's package.json with an export for the adapter and the dependencies of SOAP. The package is not
 * private, because it has endpoints.
 */
function manifestOf({ packageName, ...names }: PackageNames, { soap }: ImportedProvider): string {
  const types = { types: "./dist/adapter.d.ts", default: "./dist/adapter.js" };
  const source = { "@insurance-gateway/source": "./src/adapter.ts", ...types };
  const manifest: Manifest = JSON.parse(scaffoldOf(names).get("package.json") ?? "{}");
  const members = Object.entries(manifest).flatMap(([name, value]): [string, unknown][] => {
    if (name === "private") return [];
    if (name === "exports") return [[name, withAdapter(manifest.exports, source)]];
    if (soap !== undefined && name in soapMembers)
      return [[name, { ...Object(value), ...soapMembers[name] }]];
    if (name !== "publishConfig") return [[name, value]];
    const { exports: published, ...rest } = manifest.publishConfig;
    return [[name, { ...rest, exports: withAdapter(published, types) }]];
  });
  const own = `${JSON.stringify(Object.fromEntries(members), null, 2)}\n`;
  return packageName === undefined ? own : standaloneManifest(own, packageName);
}

/** Additions to package.json for an insurer that uses SOAP. */
const soapMembers: Readonly<Record<string, object>> = {
  peerDependencies: soapRanges,
  peerDependenciesMeta: { "fast-xml-parser": { optional: true } },
  devDependencies: { "fast-xml-parser": "catalog:" },
};

interface Manifest {
  readonly exports: object;
  readonly publishConfig: { readonly exports: object };
}

function withAdapter(exports: object, adapter: object): object {
  const entries = Object.entries(exports);
  const before = entries.findIndex(([name]) => name === "./sandbox");
  return Object.fromEntries([
    ...entries.slice(0, before),
    ["./adapter", adapter],
    ...entries.slice(before),
  ]);
}
