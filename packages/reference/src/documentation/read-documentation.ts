import { pathToFileURL } from "node:url";
import ts from "typescript";
import type {
  Documentation,
  EndpointDocumentation,
  PropertyDocumentation,
  TypeDocumentation,
  TypeReference,
} from "./documentation.ts";
import { type PackageTypes, partsOf, resolveAlias } from "./package-types.ts";

/**
 * Reads the doc comments of a provider's package.
 * @param endpointNames - the exported names of its endpoints
 * @throws TypeError if an endpoint is not declared as `export const name: Kind<{ … }> = …`
 */
export async function readDocumentation(
  types: PackageTypes,
  endpointNames: readonly string[],
): Promise<Documentation> {
  const { checker, exported, schemas } = types;
  const reading: Reading = { checker, types: new Map(), symbols: new Map() };
  const endpoints = Object.fromEntries(
    endpointNames.map((name) => [name, readEndpoint(reading, name, types)]),
  );
  const provider = [...exported.values()].find((symbol) => declaresProvider(symbol));
  return {
    provider: provider ? textOf(checker, provider) : "",
    endpoints,
    types: Object.fromEntries(reading.types),
    schemas: await namesOf(reading, schemas),
    headers: await headersOf(reading, schemas),
  };
}

/**
 * Returns the type name of each schema that the endpoints use. The modules are loaded, because the schema objects
 * themselves are the keys of the result.
 */
async function namesOf(
  { symbols }: Reading,
  schemas: PackageTypes["schemas"],
): Promise<ReadonlyMap<unknown, string>> {
  const used = schemas.filter(({ type }) => symbols.get(type.name) === type);
  const named = used.map(async ({ file, name, type }): Promise<[unknown, string]> => {
    const module: object = await import(pathToFileURL(file).href);
    return [Reflect.get(module, name), type.name];
  });
  return new Map(await Promise.all(named));
}

/** Returns the descriptions of the headers in answers, whose types no endpoint names. */
async function headersOf(
  { checker, symbols }: Reading,
  schemas: PackageTypes["schemas"],
): Promise<Documentation["headers"]> {
  const others = schemas.filter(({ type }) => symbols.get(type.name) !== type);
  const read = others.map(async ({ file, name, type }) => {
    const module: object = await import(pathToFileURL(file).href);
    const properties = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(type));
    const texts = properties.map((property) => [property.name, textOf(checker, property)] as const);
    return [Reflect.get(module, name), Object.fromEntries(texts)] as const;
  });
  return new Map(await Promise.all(read));
}

/** The type arguments of a generic interface, by the name of the type parameter. */
type Arguments = ReadonlyMap<string, TypeReference>;

/** The documentation that was read so far. */
interface Reading {
  readonly checker: ts.TypeChecker;
  readonly types: Map<string, TypeDocumentation>;
  /** The type of each name, because a document has only one schema per name. */
  readonly symbols: Map<string, ts.Symbol>;
}

/** Reads the comment of an endpoint and the types in the braces of its declaration, `Kind<{ … }>`. */
function readEndpoint(reading: Reading, name: string, types: PackageTypes): EndpointDocumentation {
  const members = partsOf(types, name).map(
    ([part, node]) => [part, readType(reading, node)] as const,
  );
  const symbol = types.exported.get(name);
  return {
    text: symbol ? textOf(reading.checker, symbol) : "",
    ...(symbol ? labelsOf(reading.checker, symbol) : {}),
    parts: Object.fromEntries(members),
  };
}

function readType(
  reading: Reading,
  node: ts.TypeNode | undefined,
  given: Arguments = new Map(),
): TypeReference {
  if (node === undefined) return {};
  if (ts.isTypeOperatorNode(node)) return readType(reading, node.type, given);
  if (ts.isParenthesizedTypeNode(node)) return readType(reading, node.type, given);
  if (ts.isArrayTypeNode(node)) return { items: readType(reading, node.elementType, given) };
  if (ts.isUnionTypeNode(node)) {
    const named = node.types.filter((member) => !isNothing(member));
    if (named.length === 1) return readType(reading, named[0], given);
    // The name of each alternative comes from its schema; the type of the alternative is read here.
    for (const member of named) readType(reading, member, given);
    return {};
  }
  return ts.isTypeReferenceNode(node) ? readNamed(reading, node, given) : {};
}

function readNamed(reading: Reading, node: ts.TypeReferenceNode, given: Arguments): TypeReference {
  const symbol = reading.checker.getSymbolAtLocation(node.typeName);
  if (symbol === undefined) return {};
  const target = resolveAlias(reading.checker, symbol);
  const parameter = given.get(target.name);
  if (target.flags & ts.SymbolFlags.TypeParameter) return parameter ?? {};
  const list = (node.typeArguments ?? []).map((argument) => readType(reading, argument, given));
  if (target.name === "ReadonlyArray" || target.name === "Array") return { items: list[0] ?? {} };
  // The schema of a map has the types of its values.
  if (target.name === "Record") return {};
  // These types change how fields may be used, but not the fields' types.
  if (["Readonly", "Partial", "Required"].includes(target.name)) return list[0] ?? {};
  const declaration = target.declarations?.find(isNamedType);
  // `OpenEnum` declares a set of values and has no separate name in the OpenAPI document.
  if (declaration === undefined || target.name === "OpenEnum") return {};
  const parts = (node.typeArguments ?? []).map((argument, index) => nameOf(argument, list[index]));
  const name = [...parts, target.name].join("");
  refuseTwins(reading, name, target);
  if (!reading.types.has(name)) readDeclaration(reading, { name, target, declaration, list });
  return { name };
}

/** A named type with its declaration. */
interface DeclaredType {
  readonly name: string;
  readonly target: ts.Symbol;
  readonly declaration: ts.InterfaceDeclaration | ts.TypeAliasDeclaration;
  /** The type arguments, in order. */
  readonly list: readonly TypeReference[];
}

function readDeclaration(
  reading: Reading,
  { declaration, list, name, target }: DeclaredType,
): void {
  // The type is registered before its properties are read, because the type may be recursive.
  reading.types.set(name, { text: "", properties: {} });
  const names = declaration.typeParameters?.map((parameter) => parameter.name.text) ?? [];
  const passed = new Map(names.map((each, index) => [each, list[index] ?? {}]));
  reading.types.set(name, {
    text: textOf(reading.checker, target),
    ...(ts.isInterfaceDeclaration(declaration) || ts.isTypeLiteralNode(declaration.type)
      ? { properties: propertiesOf(reading, declaration, passed) }
      : { properties: {}, meaning: readType(reading, declaration.type, passed) }),
  });
}

function propertiesOf(
  reading: Reading,
  declaration: DeclaredType["declaration"],
  given: Arguments,
): Readonly<Record<string, PropertyDocumentation>> {
  const { checker } = reading;
  const type = checker.getTypeAtLocation(declaration);
  const properties = checker.getPropertiesOfType(type).map((property) => {
    const written = property.declarations?.find(ts.isPropertySignature);
    const documented = {
      text: textOf(checker, property),
      ...labelsOf(checker, property),
      type: readType(reading, written?.type, given),
    };
    return [property.name, documented] as const;
  });
  return Object.fromEntries(properties);
}

function refuseTwins({ symbols }: Reading, name: string, symbol: ts.Symbol): void {
  const twin = symbols.get(name) ?? symbol;
  if (twin !== symbol)
    throw new TypeError(
      `Two types are called ${name}, in ${placeOf(twin)} and ${placeOf(symbol)}: give one another name`,
    );
  symbols.set(name, symbol);
}

/**
 * Returns the prefix that a type argument adds to the name of a generic type: `Noted<Cover>` is called CoverNoted, and
 * `Noted<string>` is called StringNoted.
 */
function nameOf(node: ts.TypeNode, read: TypeReference = {}): string {
  if (read.name !== undefined) return read.name;
  if (read.items?.name !== undefined) return `${read.items.name}List`;
  const words = node.getText().match(/[A-Za-z0-9]+/g) ?? [];
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}

function placeOf(symbol: ts.Symbol): string {
  return symbol.declarations?.[0]?.getSourceFile().fileName ?? "?";
}

function isNamedType(
  declaration: ts.Declaration,
): declaration is ts.InterfaceDeclaration | ts.TypeAliasDeclaration {
  return ts.isInterfaceDeclaration(declaration) || ts.isTypeAliasDeclaration(declaration);
}

function isNothing(node: ts.TypeNode): boolean {
  return (
    node.kind === ts.SyntaxKind.UndefinedKeyword ||
    (ts.isLiteralTypeNode(node) && node.literal.kind === ts.SyntaxKind.NullKeyword)
  );
}

function declaresProvider({ valueDeclaration }: ts.Symbol): boolean {
  if (valueDeclaration === undefined || !ts.isVariableDeclaration(valueDeclaration)) return false;
  return /^Provider\b/.test(valueDeclaration.type?.getText() ?? "");
}

/** Returns the Greek label of a property or endpoint from its tag `@el`. */
function labelsOf(
  checker: ts.TypeChecker,
  symbol: ts.Symbol,
): Pick<PropertyDocumentation, "labels"> {
  const tag = symbol.getJsDocTags(checker).find(({ name }) => name === "el");
  const el = ts.displayPartsToString(tag?.text).trim();
  return el === "" ? {} : { labels: { el } };
}

/** Returns the doc comment of a symbol without the sentence "Source: …", which is only for authors. */
function textOf(checker: ts.TypeChecker, symbol: ts.Symbol): string {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  return text.replaceAll(/\s*\bSource: .*?\.(?=\s|$)/gs, "").trim();
}
