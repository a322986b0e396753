import type { DocumentMapping } from "@insurance-gateway/adapter";
import type { SoapVersion } from "@insurance-gateway/adapter/soap";
import { kindPolicies } from "@insurance-gateway/core/runtime";
import * as z from "zod";
import {
  importDocument,
  isObject,
  type JsonObject,
  listOf,
  membersOf,
} from "../document/references.ts";
import { EXTENSION } from "../operations/options.ts";
import type { ReadSecurity } from "../operations/security.ts";
import type { SelectedOperation } from "../operations/select.ts";
import { ImportFault, type LossReport } from "../report.ts";
import type { TranslatedOperation, TranslatedWsdl } from "./translate.ts";

/** Data of a WSDL that the translated OpenAPI document does not contain. */
export interface SoapDocument {
  readonly version: SoapVersion;
  /** The operations by path in the translated document. */
  readonly operations: ReadonlyMap<string, ConfiguredOperation>;
  readonly hasUsernameToken: boolean;
  readonly losses: TranslatedWsdl["losses"];
}

/** An operation after the overlay's options were applied. */
export interface ConfiguredOperation extends TranslatedOperation {
  /** The place of the file in an answer with a document. */
  readonly document?: DocumentMapping;
}

const pointer = z.string().regex(/^(\/.*)?$/, "must be a JSON Pointer, such as /pdfContent");

const documentRows = z.strictObject({
  base64: pointer,
  mediaType: z.string().default("application/pdf"),
  size: pointer.exactOptional(),
  notReady: z.strictObject({ at: pointer, is: z.array(z.string()) }).exactOptional(),
});

/**
 * Applies an overlay's options to the translated document: an answer with a base64 file becomes the file, and fields
 * of a request become query parameters if endpoints of the kind use GET.
 * @throws ImportFault for unknown options in the overlay
 */
export function applySoapOptions(
  root: JsonObject,
  { hasUsernameToken, losses, operations, version }: TranslatedWsdl,
): { readonly root: JsonObject; readonly soap: SoapDocument } {
  const { settings, token, whole } = documentWide(root, hasUsernameToken);
  const known = new Map<string, ConfiguredOperation>();
  const paths = membersOf(root.paths).map(([path, item]): [string, unknown] => {
    const operation = operations.get(path);
    if (!isObject(item) || !isObject(item.post) || operation === undefined)
      throw new ImportFault("is not an operation of the document", `/paths/${path}`);
    const { document, method, post } = arrangedOperation(whole, item.post, settings, path);
    known.set(path, document === undefined ? operation : { ...operation, document });
    const { post: _post, ...others } = item;
    return [path, { ...others, [method]: post }];
  });
  return {
    root: { ...whole, paths: Object.fromEntries(paths) },
    soap: { version, operations: known, hasUsernameToken: token, losses },
  };
}

/** Returns the overlay's options for the insurer as a whole, without the options that exist only for a WSDL. */
function documentWide(
  root: JsonObject,
  hasToken: boolean,
): {
  readonly whole: JsonObject;
  readonly token: boolean;
  /** The fields whose values the operator configures. */
  readonly settings: ReadonlySet<unknown>;
} {
  const own = root[EXTENSION];
  if (!isObject(own)) return { whole: root, token: hasToken, settings: new Set() };
  const { usernameToken = hasToken, ...rest } = own;
  if (typeof usernameToken !== "boolean")
    throw new ImportFault(`${EXTENSION}: /usernameToken must be true or false`);
  const settings = listOf(own.settings).filter(isObject);
  return {
    whole: { ...root, [EXTENSION]: rest },
    token: usernameToken,
    settings: new Set(
      settings.filter((one) => one.in === "query").map(({ parameter }) => parameter),
    ),
  };
}

interface Arranged {
  readonly method: "get" | "post";
  readonly post: JsonObject;
  readonly document?: DocumentMapping;
}

function arrangedOperation(
  root: JsonObject,
  post: JsonObject,
  settings: ReadonlySet<unknown>,
  path: string,
): Arranged {
  const own = post[EXTENSION];
  const { document: written, ...options } = isObject(own) ? own : {};
  const document = written === undefined ? undefined : rowsOf(written, path);
  const kind = document === undefined ? options.kind : (options.kind ?? "document");
  const paging = isObject(options.paging) ? options.paging : {};
  const size = isObject(paging.size) ? paging.size : {};
  // Lookups use GET, and searches have the page in the query.
  const isGet = isKind(kind) && !kindPolicies[kind].methods.includes("POST");
  const named = new Set([...settings, paging.position, size.name]);
  const moved = withQuery(root, post, {
    isMoved: (name) => isGet || named.has(name),
    limits: new Map([
      [paging.position, { minimum: paging.from ?? (paging.style === "offset" ? 0 : 1) }],
      [size.name, { minimum: 1, maximum: size.most ?? size.usual }],
    ]),
  });
  const withOptions =
    own === undefined
      ? moved
      : { ...moved, [EXTENSION]: kind === undefined ? options : { ...options, kind } };
  return {
    method: isGet ? "get" : "post",
    post:
      document === undefined ? withOptions : { ...withOptions, responses: fileAnswer(document) },
    ...(document === undefined ? {} : { document }),
  };
}

function rowsOf(written: unknown, path: string): DocumentMapping {
  const parsed = documentRows.safeParse(written);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(
    (issue) => `${["", "document", ...issue.path].join("/")} ${issue.message}`,
  );
  throw new ImportFault(`${EXTENSION}: ${faults.join("; ")}`, `/paths/${path}`);
}

function isKind(kind: unknown): kind is keyof typeof kindPolicies {
  return typeof kind === "string" && Object.hasOwn(kindPolicies, kind);
}

function fileAnswer({ mediaType }: DocumentMapping): JsonObject {
  const schema = { type: "string", format: "binary" };
  return { 200: { description: "The file.", content: { [mediaType]: { schema } } } };
}

interface Moving {
  readonly isMoved: (field: string) => boolean;
  /** The overlay's limits for the paging numbers of a search. */
  readonly limits: ReadonlyMap<unknown, JsonObject>;
}

/** Returns a copy of an operation with some fields of the request body moved to the query. */
function withQuery(root: JsonObject, post: JsonObject, { isMoved, limits }: Moving): JsonObject {
  const { requestBody, ...others } = post;
  const content = isObject(requestBody) ? requestBody.content : undefined;
  const media = isObject(content) ? content["application/json"] : undefined;
  if (!isObject(media) || !isObject(media.schema)) return post;
  const { value: schema } = importDocument(root).follow(media.schema, "");
  const properties = membersOf(schema.properties);
  const moved = properties.filter(([name]) => isMoved(name));
  if (moved.length === 0) return post;
  const required = listOf(schema.required);
  const parameters = moved.map(([name, property]) => ({
    in: "query",
    name,
    required: required.includes(name),
    ...(isObject(property) && typeof property.description === "string"
      ? { description: property.description }
      : {}),
    schema: { ...Object(property), ...limits.get(name) },
  }));
  const rest = properties.filter(([name]) => !isMoved(name));
  const restRequired = required.filter((name) => rest.some(([own]) => own === name));
  const restSchema = { ...schema, properties: Object.fromEntries(rest), required: restRequired };
  return {
    ...others,
    parameters: [...listOf(post.parameters), ...parameters],
    ...(rest.length === 0
      ? {}
      : {
          requestBody: { required: true, content: { "application/json": { schema: restSchema } } },
        }),
  };
}

/**
 * Reports the losses of a WSDL operation.
 * @throws ImportFault for an operation that cannot be imported
 */
export function reportSoapLosses(
  soap: SoapDocument | undefined,
  { method, path }: Pick<SelectedOperation, "method" | "path">,
  report: LossReport,
): void {
  const operation = soap?.operations.get(path);
  if (operation?.fault !== undefined) throw operation.fault;
  for (const loss of operation?.losses ?? [])
    report.add({ operation: `${method} ${path}`, ...loss });
}

/** Reports the operations of a WSDL that an overlay cannot select because these operations do not use SOAP. */
export function reportLeftOut(soap: SoapDocument | undefined, report: LossReport): void {
  for (const loss of soap?.losses ?? []) report.add(loss);
}

type ReadyCredentials = Pick<ReadSecurity, "accepted" | "certificate" | "settings">;

/** Adds the user name and password of the messages to the operator's settings. */
export function withUsernameToken(
  { hasUsernameToken }: Pick<SoapDocument, "hasUsernameToken">,
  security: ReadyCredentials,
): ReadyCredentials {
  if (!hasUsernameToken) return security;
  const accepted = security.accepted ?? [[]];
  return { ...security, accepted: accepted.map((all) => [...all, { type: "message" }]) };
}
