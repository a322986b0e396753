import { type MatchField, pdf } from "@insurance-gateway/core/contract";
import { kindPolicies } from "@insurance-gateway/core/runtime";
import type { Names } from "../names/assign-names.ts";
import type { ImportedAnswer, ImportedEndpoint } from "../operations/model.ts";
import { type Definition, definitionsIn, type SchemaNode } from "../schemas/model.ts";
import { docComment } from "./comment.ts";
import { type Imports, importList } from "./imports.ts";
import {
  array,
  call,
  exportedConstant,
  type Layout,
  literal,
  object,
  propertyName,
  scalar,
  typeLiteral,
} from "./layout.ts";

const CONTRACT = "@insurance-gateway/core/contract";

/** Writes the file of an endpoint: its declaration and its types. */
export function endpointFile(endpoint: ImportedEndpoint, provider: string, names: Names): string {
  const imports = importList();
  const kind = endpoint.kind;
  const type = kind.slice(0, 1).toUpperCase() + kind.slice(1);
  imports.add(CONTRACT, kind);
  imports.add(CONTRACT, type, true);
  const source: EndpointSource = { endpoint, imports, names };
  const members: readonly (readonly [string, Layout] | null)[] = [
    ["provider", scalar(provider)],
    endpoint.method === kindPolicies[kind].methods[0] ? null : ["method", scalar(endpoint.method)],
    ["path", scalar(endpoint.path)],
    ...partMembers(source),
    bodyMember(source),
    ...answerMembers(source),
    ...optionMembers(source),
  ];
  const declaration = exportedConstant(
    endpoint.name,
    type,
    typeLiteral(typeMembers(source)),
    call(kind, object(members, true)),
  );
  return imports.print() + docComment(commentOf(endpoint), 0) + declaration;
}

interface EndpointSource {
  readonly endpoint: ImportedEndpoint;
  readonly imports: Imports;
  readonly names: Names;
}

function commentOf({ description, method, path }: ImportedEndpoint): string {
  return description === "" ? `${method} ${path}.` : description;
}

function typeMembers(source: EndpointSource): readonly (readonly [string, Layout])[] {
  const { body, headers, kind, params, query } = source.endpoint;
  const part = (
    name: string,
    definition: Definition | undefined,
  ): readonly (readonly [string, Layout])[] =>
    definition === undefined ? [] : [[name, typeName(definition, source)]];
  const [bodyMedia] = body?.media ?? [];
  const bodyType =
    bodyMedia === undefined
      ? []
      : [
          [
            "body",
            typeName(bodyMedia.definition, source) +
              (body?.required === false ? " | undefined" : ""),
          ] as const,
        ];
  return [
    ...part("params", params),
    ...part("query", query),
    ...part("headers", headers),
    ...bodyType,
    ...(kind === "document"
      ? []
      : kind === "search"
        ? searchTypes(source)
        : [["response", responseType(source)] as const]),
  ];
}

/** Returns the types of a search's item and page. */
function searchTypes(source: EndpointSource): readonly (readonly [string, Layout])[] {
  const page = pageOf(source.endpoint);
  const item = itemOf(page.node, source.endpoint.options.paging?.items ?? "");
  return [
    ["item", item === undefined ? "unknown" : typeName(item, source)],
    ["page", typeName(page, source)],
  ];
}

function pageOf({ answers, operation }: ImportedEndpoint): Definition {
  const page = answers[0]?.media[0]?.definition;
  if (page === undefined) throw new TypeError(`${operation} has no page`);
  return page;
}

/** Returns the definition of a page's items, if there is one. */
function itemOf(node: SchemaNode, pointer: string): Definition | undefined {
  if (node.type === "named") return itemOf(node.definition.node, pointer);
  if (node.type === "nullable") return itemOf(node.inner, pointer);
  const [, name, ...rest] = pointer.split("/");
  if (name === undefined) return node.type === "list" ? definitionsIn(node.item)[0] : undefined;
  const field = node.type === "object" ? node.fields.find((one) => one.name === name) : undefined;
  return field && itemOf(field.schema, rest.length === 0 ? "" : `/${rest.join("/")}`);
}

function responseType(source: EndpointSource): Layout {
  const { answers } = source.endpoint;
  const types = answers.map(
    (answer) => [String(answer.status), answerType(answer, source)] as const,
  );
  const [only] = types;
  if (types.length === 1 && only !== undefined) return only[1];
  return [`${source.imports.add(CONTRACT, "ByStatus", true)}<`, typeLiteral(types), ">"];
}

function answerType({ media: [first] }: ImportedAnswer, source: EndpointSource): string {
  return first === undefined ? "undefined" : typeName(first.definition, source);
}

function partMembers(source: EndpointSource): readonly (readonly [string, Layout])[] {
  const { headers, params, query } = source.endpoint;
  return Object.entries({ params, query, headers }).flatMap(([name, definition]) =>
    definition === undefined ? [] : [[name, valueName(definition, source)] as const],
  );
}

function bodyMember(source: EndpointSource): readonly [string, Layout] | null {
  const { body } = source.endpoint;
  if (body === undefined) return null;
  const [first, ...others] = body.media;
  if (first === undefined) return null;
  const isShort = body.required && others.length === 0 && first.mediaType === "application/json";
  if (isShort) return ["body", valueName(first.definition, source)];
  const media = object(
    body.media.map(({ definition, mediaType }) => [
      propertyName(mediaType),
      valueName(definition, source),
    ]),
  );
  return ["body", object([body.required ? null : ["required", "false"], ["media", media]])];
}

function answerMembers(source: EndpointSource): readonly (readonly [string, Layout])[] {
  const { answers, files, kind, name, options } = source.endpoint;
  if (kind === "document" && files !== undefined)
    return [
      ["files", array(files.map((type) => fileType(type, source)))],
      ["fileName", scalar(options.fileName ?? name)],
    ];
  if (kind === "search")
    return [
      ["page", valueName(pageOf(source.endpoint), source)],
      ["paging", literal(options.paging)],
    ];
  return [
    [
      "response",
      object(answers.map((answer) => [String(answer.status), answerLayout(answer, source)])),
    ],
  ];
}

function fileType(
  type: NonNullable<ImportedEndpoint["files"]>[number],
  { imports }: EndpointSource,
): Layout {
  return type.mediaType === pdf.mediaType ? imports.add(CONTRACT, "pdf") : literal(type);
}

function answerLayout({ headers, media }: ImportedAnswer, source: EndpointSource): Layout {
  const [first, ...others] = media;
  if (first === undefined && headers === undefined) return source.imports.add(CONTRACT, "none");
  const isShort =
    headers === undefined && others.length === 0 && first?.mediaType === "application/json";
  if (isShort) return valueName(first.definition, source);
  const types = object(
    media.map(({ definition, mediaType }) => [
      propertyName(mediaType),
      valueName(definition, source),
    ]),
  );
  return object([
    ["media", types],
    headers === undefined ? null : ["headers", valueName(headers, source)],
  ]);
}

/** The overlay's options in the order in which a declaration contains them. */
const OPTIONS = [
  "perAccount",
  "notReady",
  "insurerId",
  "same",
  "creates",
  "idempotency",
  "reconcile",
  "settleAfterMs",
  "sameContent",
  "closedWhen",
  "keyAt",
  "failures",
] as const;

function optionMembers({
  endpoint: { options },
  imports,
}: EndpointSource): readonly (readonly [string, Layout])[] {
  return OPTIONS.flatMap((name) => {
    const value = options[name];
    if (value === undefined) return [];
    const { same = [] } = options;
    return [[name, name === "same" ? sameLayout(same, imports) : literal(value)] as const];
  });
}

/** Writes match fields. An overlay refers to a normaliser by name. */
function sameLayout(same: readonly MatchField[], imports: EndpointSource["imports"]): Layout {
  return array(
    same.map((field) =>
      typeof field === "string"
        ? scalar(field)
        : object([
            ["at", scalar(field.at)],
            ["normaliser", imports.add(CONTRACT, "greekPlate")],
          ]),
    ),
  );
}

function typeName(definition: Definition, { imports, names }: EndpointSource): string {
  const found = names.get(definition);
  return found === undefined
    ? "unknown"
    : imports.add(`../schemas/${found.file}.ts`, found.type, true);
}

function valueName(definition: Definition, { imports, names }: EndpointSource): string {
  const found = names.get(definition);
  if (found === undefined) throw new TypeError(`${definition.title} has no name`);
  return imports.add(`../schemas/${found.file}.ts`, found.value);
}
