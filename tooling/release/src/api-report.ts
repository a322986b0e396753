import { join, relative, sep } from "node:path";
import ts from "typescript";
import { readManifest } from "./manifest.ts";
import type { Refusal } from "./refusal.ts";

/** The names that users can import from an entry point of a package. */
export interface EntryPoint {
  /** The path in `exports`: `.` or `./contract`. */
  readonly path: string;
  readonly exports: ReadonlyMap<string, Declared>;
}

/** A declared name and the data to check it with the compiler. */
export interface Declared {
  readonly name: string;
  /** The file that exports the name: an entry point, or the module with the declaration. */
  readonly file: string;
  readonly isValue: boolean;
  readonly isType: boolean;
  /** The number of type parameters, if the name is a type. */
  readonly parameters: number;
  /** The names of the members, if the name is an interface or a class. */
  readonly members: readonly string[];
  /** The declaration without comments and without the declarations that it uses. */
  readonly text: string;
}

/** The types of a package that its users can reach. */
export interface ApiReport {
  readonly entryPoints: readonly EntryPoint[];
  /** All declarations that a promised name uses, by file and name: `client/options.d.ts: CallOptions`. */
  readonly declarations: ReadonlyMap<string, Declared>;
}

/** The unstable entry point of core: packages that use it accept only patches of core. */
const UNSTABLE = "./runtime";

/** Reports whether VERSIONING.md covers an entry point. */
export function isStable({ path }: Pick<EntryPoint, "path">): boolean {
  return path !== UNSTABLE;
}

/** Maximum number of exported names per entry point, because each name is promised until the next major version. */
const maxExportedNames: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "@insurance-gateway/core": { ".": 60, "./contract": 45 },
};

/** Returns a refusal for each entry point that exports more names than its limit. */
export function faultsOfNames(
  name: string,
  { entryPoints }: Pick<ApiReport, "entryPoints">,
): readonly Refusal[] {
  return entryPoints.flatMap(({ exports, path }) => {
    const most = maxExportedNames[name]?.[path] ?? Number.POSITIVE_INFINITY;
    if (exports.size <= most) return [];
    return [
      {
        reason: `${name} exports ${exports.size} names from \`${path}\`; its limit is ${most}.`,
        remedy: `Export from \`${UNSTABLE}\` the names that only packages of this repository use.`,
      },
    ];
  });
}

const options: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  noEmit: true,
  types: [],
};

/** Creates a TypeScript program for declaration files with strict options. */
export function programOf(files: readonly string[]): ts.Program {
  return ts.createProgram(files, options);
}

/**
 * Reads the types of a built package or an unpacked tarball.
 * @param folder - the folder with package.json
 */
export function readApi(folder: string): ApiReport {
  const entries = Object.entries(readManifest(folder).exports ?? {}).flatMap(([path, target]) => {
    const types = typesOf(target);
    return types === undefined ? [] : [{ path, file: join(folder, types) }];
  });
  const program = programOf(entries.map(({ file }) => file));
  const checker = program.getTypeChecker();
  const declarations = new Map<string, Declared>();
  const entryPoints = entries.map(({ file, path }) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    const symbols = module === undefined ? [] : checker.getExportsOfModule(module);
    if (isStable({ path }))
      for (const symbol of symbols)
        collect(resolve(symbol, checker), folder, checker, declarations);
    const exports = new Map(
      symbols
        .map((symbol) => {
          const declared = describe(resolve(symbol, checker), folder);
          return [symbol.name, { ...declared, name: symbol.name, file }] as const;
        })
        .toSorted(([one], [other]) => compareText(one, other)),
    );
    return { path, exports };
  });
  return { entryPoints, declarations: sortedByKey(declarations) };
}

/** Writes the report that is committed in a package, so that reviewers see the changes for users. */
export function writeReport(name: string, { declarations, entryPoints }: ApiReport): string {
  return [
    `# Types of ${name}`,
    "",
    "Written by `npx pnpm --filter @insurance-gateway/release api-report`. The release compares them with those of the last release.",
    ...entryPoints
      .filter(isStable)
      .flatMap(({ exports, path }) => [
        "",
        `## \`${path}\`: ${exports.size} names`,
        "",
        ...[...exports.keys()].map((exported) => `- \`${exported}\``),
      ]),
    "",
    "## Declarations",
    ...[...declarations].flatMap(([key, { text }]) => ["", `### ${key}`, "", "```ts", text, "```"]),
    "",
  ].join("\n");
}

/** Returns the declaration file of a target in `exports`. */
function typesOf(target: unknown): string | undefined {
  const types = typeof target === "object" && target !== null ? Object.entries(target) : [];
  return types.find(([condition]) => condition === "types")?.[1];
}

function resolve(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function describe(symbol: ts.Symbol, folder: string): Declared {
  const declarations = symbol.declarations ?? [];
  const type = declarations.find(
    (found) =>
      ts.isInterfaceDeclaration(found) ||
      ts.isTypeAliasDeclaration(found) ||
      ts.isClassDeclaration(found),
  );
  return {
    name: symbol.name,
    file: declarations[0]?.getSourceFile().fileName ?? "",
    isValue: (symbol.flags & ts.SymbolFlags.Value) !== 0,
    isType: (symbol.flags & ts.SymbolFlags.Type) !== 0,
    parameters: type?.typeParameters?.length ?? 0,
    members: [...(symbol.members?.keys() ?? [])]
      .map(String)
      .filter((name) => !name.startsWith("__")),
    text: textOf(symbol, folder),
  };
}

/** Adds the declaration of a name and of every name that it uses. */
function collect(
  symbol: ts.Symbol,
  folder: string,
  checker: ts.TypeChecker,
  found: Map<string, Declared>,
): void {
  for (const declaration of symbol.declarations ?? []) {
    const { fileName } = declaration.getSourceFile();
    const statement = statementOf(declaration);
    const file = relative(folder, fileName).split(sep).join("/");
    if (statement === null || file.startsWith("..") || file.includes("node_modules/")) continue;
    const key = `${file.replace(/^dist\//, "")}: ${symbol.name}`;
    if (found.has(key)) continue;
    found.set(key, describe(symbol, folder));
    const visit = (node: ts.Node): void => {
      if (ts.isIdentifier(node)) {
        const used = checker.getSymbolAtLocation(node);
        if (used !== undefined) collect(resolve(used, checker), folder, checker, found);
      }
      ts.forEachChild(node, visit);
    };
    visit(statement);
  }
}

/** Returns the statement that contains a declaration; null for a part of another declaration. */
function statementOf(declaration: ts.Declaration): ts.Statement | null {
  const statement = ts.isVariableDeclaration(declaration)
    ? declaration.parent.parent
    : (declaration as ts.Node); // The type is narrowed by the checks of statement kinds below.
  return ts.isStatement(statement) && ts.isSourceFile(statement.parent) ? statement : null;
}

const printer = ts.createPrinter({ removeComments: true });

/** Returns the declarations of a name; an overloaded function has several. */
function textOf(symbol: ts.Symbol, folder: string): string {
  return (symbol.declarations ?? [])
    .flatMap((declaration) => statementOf(declaration) ?? [])
    .filter((statement) => statement.getSourceFile().fileName.startsWith(folder))
    .map((statement) =>
      printer.printNode(ts.EmitHint.Unspecified, statement, statement.getSourceFile()),
    )
    .join("\n");
}

function sortedByKey<Value>(map: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> {
  return new Map([...map].toSorted(([one], [other]) => compareText(one, other)));
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
