import { join, relative } from "node:path";
import ts from "typescript";

/** The types that a provider's package exports, as the package's sources declare them. */
export interface PackageTypes {
  /** The package's folder. */
  readonly folder: string;
  readonly checker: ts.TypeChecker;
  /** The exports of `index.ts`, by name. */
  readonly exported: ReadonlyMap<string, ts.Symbol>;
  /** The exported schemas of the package that have a named type. */
  readonly schemas: readonly DeclaredSchema[];
}

/** A declared schema with its named type (`export const holder: Schema<Holder> = …`) and its file. */
export interface DeclaredSchema {
  readonly file: string;
  /** The exported name. */
  readonly name: string;
  readonly type: ts.Symbol;
}

/**
 * Loads the types of a provider's package from its sources.
 * @param folder - the package's folder
 * @param sources - the folder of its sources
 * @throws TypeError if its `index.ts` is not a module
 */
export function readPackageTypes(folder: string, sources = "src"): PackageTypes {
  const entry = join(folder, sources, "index.ts");
  const program = ts.createProgram([entry], compilerOptions);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(entry);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new TypeError(`${entry} is not a module`);
  const exported = checker
    .getExportsOfModule(module)
    .map((symbol) => [symbol.name, resolveAlias(checker, symbol)] as const);
  const files = program
    .getSourceFiles()
    .filter(({ fileName, isDeclarationFile }) => !isDeclarationFile && isInside(folder, fileName));
  return {
    folder,
    checker,
    exported: new Map(exported),
    schemas: files.flatMap((file) => declaredSchemas(checker, file)),
  };
}

function isInside(folder: string, file: string): boolean {
  return !relative(folder, file).startsWith("..");
}

function declaredSchemas(
  checker: ts.TypeChecker,
  source: ts.SourceFile,
): readonly DeclaredSchema[] {
  const module = checker.getSymbolAtLocation(source);
  if (module === undefined) return [];
  return checker.getExportsOfModule(module).flatMap(({ name, valueDeclaration }) => {
    // A re-exported schema belongs to the file that declares it.
    if (valueDeclaration?.getSourceFile() !== source || !ts.isVariableDeclaration(valueDeclaration))
      return [];
    const { type } = valueDeclaration;
    if (type === undefined || !ts.isTypeReferenceNode(type)) return [];
    const [argument] = type.typeArguments ?? [];
    if (type.typeName.getText() !== "Schema" || argument === undefined) return [];
    if (!ts.isTypeReferenceNode(argument) || argument.typeArguments !== undefined) return [];
    const symbol = checker.getSymbolAtLocation(argument.typeName);
    return symbol === undefined
      ? []
      : [{ file: source.fileName, name, type: resolveAlias(checker, symbol) }];
  });
}

/** Options that load little and check no types: names, comments and declared types are enough. */
const compilerOptions: ts.CompilerOptions = {
  allowImportingTsExtensions: true,
  customConditions: ["@insurance-gateway/source"],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  noEmit: true,
  // This library declares `Omit` and similar types.
  lib: ["lib.es5.d.ts"],
  skipLibCheck: true,
  strict: true,
  target: ts.ScriptTarget.ESNext,
  types: [],
};

/** Returns the symbol that a symbol stands for, if it is an import or a re-export; otherwise the symbol itself. */
export function resolveAlias(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/**
 * Returns the types in an endpoint's declaration by part; an empty map for an endpoint without input and answer.
 * @throws TypeError if the endpoint is not declared as `export const name: Kind<{ … }> = …`
 */
export function partsOf(
  { checker, exported }: PackageTypes,
  name: string,
): readonly (readonly [part: string, node: ts.TypeNode | undefined])[] {
  const declaration = exported.get(name)?.valueDeclaration;
  const kind = declaration && ts.isVariableDeclaration(declaration) ? declaration.type : undefined;
  const parts = kind && ts.isTypeReferenceNode(kind) ? kind.typeArguments?.[0] : undefined;
  if (parts === undefined)
    throw new TypeError(
      `${name} must be written as \`export const ${name}: Kind<{ … }> = …\`, with its types between the braces`,
    );
  return checker.getPropertiesOfType(checker.getTypeFromTypeNode(parts)).flatMap((property) => {
    const node = property.declarations?.find(ts.isPropertySignature)?.type;
    return answersByStatus(property.name, node) ?? [[property.name, node] as const];
  });
}

/** Returns the types of `ByStatus<{ 201: Created; 202: Accepted }>` by status; undefined for any other type. */
function answersByStatus(
  part: string,
  node: ts.TypeNode | undefined,
): readonly (readonly [string, ts.TypeNode | undefined])[] | undefined {
  if (node === undefined || !ts.isTypeReferenceNode(node)) return undefined;
  const [answers] = node.typeArguments ?? [];
  if (node.typeName.getText() !== "ByStatus" || !answers || !ts.isTypeLiteralNode(answers))
    return undefined;
  return answers.members
    .filter(ts.isPropertySignature)
    .map((answer) => [`${part} ${answer.name.getText()}`, answer.type] as const);
}
