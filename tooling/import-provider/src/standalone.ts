import { type Files, firstEndpointFiles, newPackage } from "@insurance-gateway/create-provider";

/** The names of a provider in the files of its package. */
export interface PackageNames {
  /** The path segment: `provider-f`. */
  readonly id: string;
  /** The exported constant: `providerF`. */
  readonly constant: string;
  /** The display name: `Provider F`. */
  readonly name: string;
  /** The name of a package outside this repository; undefined for a package of this repository. */
  readonly packageName?: string;
}

/**
 * Returns the files of a provider's package before the import. A package outside this repository contains its complete
 * configuration, because this repository's presets are not published.
 */
export function scaffoldOf({ packageName, ...names }: PackageNames): Files {
  const scaffold = new Map([...newPackage(names), ...firstEndpointFiles(names)]);
  if (packageName === undefined) return scaffold;
  const sources = [...scaffold].filter(([path]) => path.startsWith("src/"));
  return new Map([
    ...sources,
    ["README.md", readme(packageName, names.name)],
    ["package.json", standaloneManifest(scaffold.get("package.json") ?? "{}", packageName)],
    ["tsconfig.json", jsonFile({ compilerOptions, include: ["src", "test"] })],
    ["tsconfig.build.json", jsonFile(buildOptions)],
    ["tsup.config.ts", TSUP],
    [".gitignore", "dist/\nnode_modules/\n"],
  ]);
}

/** The versions of development dependencies for a package outside this repository, equal to this repository's. */
export const developmentRanges: Readonly<Record<string, string>> = {
  "@insurance-gateway/adapter": "^1.0.0",
  "@insurance-gateway/core": "^1.0.0",
  "@insurance-gateway/reference": "^1.0.0",
  "@insurance-gateway/testkit": "^1.0.0",
  tsup: "^9.0.0",
  typescript: "^6.0.2",
  vitest: "^5.1.1",
};

/** The versions of runtime dependencies for a package outside this repository. */
export const runtimeRanges: Readonly<Record<string, string>> = { zod: "^4.6.7" };

/** The dependencies of the adapter and sandbox for an insurer that uses SOAP; client applications do not need them. */
export const soapRanges: Readonly<Record<string, string>> = { "fast-xml-parser": "^5.12.1" };

/**
 * Converts a package.json of this repository for use outside: dependencies come from the registry, and the package
 * cannot be published by accident.
 */
export function standaloneManifest(manifest: string, packageName: string): string {
  const {
    dependencies: _dependencies,
    devDependencies: development,
    exports: _sources,
    files: _files,
    license: _license,
    name: _name,
    private: _private,
    publishConfig,
    scripts: _scripts,
    ...members
  }: Record<string, unknown> & {
    readonly devDependencies: Readonly<Record<string, string>>;
    readonly publishConfig: { readonly exports: unknown };
  } = JSON.parse(manifest);
  const own = "fast-xml-parser" in development ? soapRanges : {};
  return jsonFile({
    name: packageName,
    private: true,
    ...members,
    files: ["dist", "README.md"],
    exports: publishConfig.exports,
    scripts: {
      build:
        "tsup && tsc -p tsconfig.build.json && insurance-gateway-reference --contract openapi.json",
      prepack: "npm run build",
      test: "tsc --noEmit && vitest run",
    },
    dependencies: runtimeRanges,
    devDependencies: { ...own, ...developmentRanges },
  });
}

function readme(packageName: string, name: string): string {
  return `# ${packageName}

${name}: its endpoints, declared for the Insurance Gateway.

\`\`\`sh
npm install     # installs what the package needs
npm test        # runs the conformance tests for every provider
npm run build   # builds it, and writes its contract to openapi.json
\`\`\`
`;
}

const compilerOptions = {
  target: "es2023",
  lib: ["es2024"],
  module: "nodenext",
  types: [],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  verbatimModuleSyntax: true,
  isolatedDeclarations: true,
  declaration: true,
  erasableSyntaxOnly: true,
  rewriteRelativeImportExtensions: true,
  skipLibCheck: true,
  noEmit: true,
};

const buildOptions = {
  extends: "./tsconfig.json",
  include: ["src"],
  compilerOptions: { noEmit: false, emitDeclarationOnly: true, rootDir: "src", outDir: "dist" },
};

const TSUP = `import { globSync, rmSync } from "node:fs";
import { build, defineConfig, type Options } from "tsup";

const options: Options = {
  format: ["esm"],
  splitting: true,
  clean: true,
  target: "node22",
  silent: true,
  removeNodeProtocol: false,
};

/**
 * Every endpoint is an entry with a separate file, so that applications bundle only the endpoints that they import.
 * The gateway loads one file with all declarations.
 */
export default defineConfig({
  ...options,
  entry: ["src/{index,adapter,sandbox}.ts", "src/examples/index.ts", "src/endpoints/*.ts"],
  async onSuccess() {
    // Other files import the shared chunks, so the entry files of the endpoints are not needed.
    for (const file of globSync("dist/endpoints/*.js")) rmSync(file);
    const entry = { gateway: "src/index.ts" };
    await build({ ...options, config: false, entry, splitting: false, clean: false });
  },
});
`;

function jsonFile(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
