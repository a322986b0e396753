import { type EndpointKind, kindPolicies } from "@insurance-gateway/core/runtime";
import type { ProviderNames } from "@insurance-gateway/create-provider";
import ts from "typescript";

/** The declaration of an endpoint, read from the endpoint's file. */
export interface DeclaredEndpoint {
  /** The exported name. */
  readonly name: string;
  readonly kind: EndpointKind;
  readonly method: string;
  /** The id of the provider. */
  readonly provider: string;
  /** The path after the provider's segment. */
  readonly path: string;
  /** The doc comment; "" without one. */
  readonly comment: string;
  /** The names of the types of the endpoint's path, query and body. */
  readonly request: readonly string[];
  /** The names of the types of the endpoint's answer, or of the items of the answer's list; empty for a document. */
  readonly answer: readonly string[];
}

/**
 * Reads the endpoint that a file declares from the file's text.
 * @throws TypeError if the file does not declare exactly one endpoint, or if its path is not a literal
 */
export function readEndpoint(file: string, text: string): DeclaredEndpoint {
  const found = exportedConstants(file, text).flatMap(({ comment, initializer, name, type }) => {
    if (initializer === undefined || !ts.isCallExpression(initializer)) return [];
    const kind = initializer.expression.getText();
    if (!isKind(kind)) return [];
    const request = namesIn(type, ["params", "query", "body"]);
    const answer = namesIn(type, ["response", "item"]);
    return [{ name, comment, kind, request, answer, declaration: initializer.arguments[0] }];
  });
  const [endpoint, another] = found;
  if (endpoint === undefined)
    throw new TypeError(`${file} declares no endpoint, such as \`export const … = lookup({ … })\``);
  if (another !== undefined)
    throw new TypeError(
      `${file} declares ${endpoint.name} and ${another.name}: give each endpoint a file of its own`,
    );
  const { declaration, ...rest } = endpoint;
  const method = textOf(declaration, "method") ?? kindPolicies[endpoint.kind].methods[0];
  const provider = textOf(declaration, "provider");
  const path = textOf(declaration, "path");
  if (provider === undefined || path === undefined)
    throw new TypeError(`${file} does not write out the \`provider\` and the \`path\` as texts`);
  return { ...rest, method, provider, path };
}

/**
 * Reads the names of a provider from the text of its `src/provider.ts`.
 * @throws TypeError if the names are not literals
 */
export function readProvider(text: string): ProviderNames {
  for (const { initializer, name: constant } of exportedConstants("src/provider.ts", text)) {
    if (initializer === undefined || !ts.isCallExpression(initializer)) continue;
    const [declaration] = initializer.arguments;
    const [id, name] = [textOf(declaration, "id"), textOf(declaration, "name")];
    if (id !== undefined && name !== undefined) return { id, constant, name };
  }
  throw new TypeError("src/provider.ts does not write out the `id` and the `name` as texts");
}

/** Returns the names of the constants that a file exports. */
export function exportedNames(file: string, text: string): readonly string[] {
  return exportedConstants(file, text).map(({ name }) => name);
}

interface ExportedConstant {
  readonly name: string;
  readonly comment: string;
  readonly initializer: ts.Expression | undefined;
  readonly type: ts.TypeNode | undefined;
}

function exportedConstants(file: string, text: string): readonly ExportedConstant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  return source.statements.filter(isExportedVariable).flatMap((statement) =>
    statement.declarationList.declarations.map(({ initializer, name, type }) => ({
      name: name.getText(),
      comment: commentOf(statement),
      initializer,
      type,
    })),
  );
}

function isExportedVariable(statement: ts.Statement): statement is ts.VariableStatement {
  return (
    ts.isVariableStatement(statement) &&
    (statement.modifiers ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
  );
}

function commentOf(statement: ts.VariableStatement): string {
  const [comment] = ts.getJSDocCommentsAndTags(statement).filter(ts.isJSDoc);
  return ts.getTextOfJSDocComment(comment?.comment) ?? "";
}

/** The names of the types that an endpoint's type has for some members, such as `Submission<{ body: Application }>`. */
function namesIn(type: ts.TypeNode | undefined, members: readonly string[]): readonly string[] {
  if (type === undefined || !ts.isTypeReferenceNode(type)) return [];
  const [parts] = type.typeArguments ?? [];
  if (parts === undefined || !ts.isTypeLiteralNode(parts)) return [];
  return parts.members
    .filter(ts.isPropertySignature)
    .filter((member) => members.includes(member.name.getText()))
    .flatMap((member) => {
      const named = member.type;
      return named !== undefined && ts.isTypeReferenceNode(named) ? [named.typeName.getText()] : [];
    });
}

function isKind(name: string): name is EndpointKind {
  return Object.hasOwn(kindPolicies, name);
}

/** Returns the literal text of a property in an object literal. */
function textOf(object: ts.Expression | undefined, name: string): string | undefined {
  if (object === undefined || !ts.isObjectLiteralExpression(object)) return undefined;
  const value = object.properties
    .filter(ts.isPropertyAssignment)
    .find((property) => property.name.getText() === name)?.initializer;
  return value !== undefined && ts.isStringLiteralLike(value) ? value.text : undefined;
}
