import { isDeepStrictEqual } from "node:util";
import type { FileType } from "@insurance-gateway/core/contract";
import {
  type EndpointKind,
  kindPolicies,
  type Method,
  pathSegments,
} from "@insurance-gateway/core/runtime";
import { appendToPointer, type Located, listOf } from "../document/references.ts";
import { ImportFault } from "../report.ts";
import type { Place, SchemaReader } from "../schemas/read-schema.ts";
import { filesOf, type PublishedAnswer, readAnswers, successesOf } from "./answers.ts";
import { readBody } from "./bodies.ts";
import { descriptionOf } from "./description.ts";
import type { ImportedEndpoint } from "./model.ts";
import type { OperationOptions, SettingOption } from "./options.ts";
import { parametersOf, type ReadParameters, readParameters } from "./parameters.ts";
import type { OperationSecurity } from "./security.ts";
import type { SelectedOperation } from "./select.ts";

/**
 * Reads an operation as an endpoint.
 * @param name - the endpoint's name
 * @throws ImportFault for an operation that cannot be declared
 */
export function readOperation(
  reader: SchemaReader,
  { method, options, path, pathItem, located }: SelectedOperation,
  name: string,
  settings: readonly SettingOption[],
  security: OperationSecurity,
): ImportedEndpoint {
  const operation = `${method} ${path}`;
  if (path.includes("}{"))
    throw new ImportFault(
      `has the path ${JSON.stringify(path)}, in which nothing separates two parameters`,
      located.pointer,
    );
  const place: Place = {
    side: "request",
    pointer: located.pointer,
    title: name,
    home: { id: located.pointer, title: name },
    operation,
  };
  reportServers(reader, [pathItem, located], operation);
  const answers = successesOf(reader, located, operation);
  const files = filesOf(answers);
  const kind = kindOf(method, options.kind, files, located);
  const parameters = readParameters(
    reader,
    withUndeclaredPathParameters(
      withoutKey(parametersOf(reader.document, pathItem, located), kind, options),
      { operation, path, pointer: located.pointer },
      reader,
    ),
    settings,
    security,
    place,
  );
  const body = bodyOf(reader, located, method, place);
  refuseOtherStatus(kind, answers, located);
  reportOtherStatuses(reader, kind, answers, { operation, notReady: options.notReady });
  const read = kind === "document" ? undefined : readAnswers(reader, answers, kind, place);
  if (kind === "search" && options.paging === undefined)
    throw new ImportFault(
      "is a search without paging: declare its paging in the overlay",
      located.pointer,
    );
  const publicPath = options.path ?? publicPathOf(path, parameters, located);
  return {
    operation,
    pointer: located.pointer,
    name,
    kind,
    method,
    path: publicPath,
    description: descriptionOf(located.value),
    ...parameters.definitions,
    ...(body.body === undefined ? {} : { body: body.body }),
    answers: read?.answers ?? [],
    ...filesPart(kind, files, located),
    options: withIdempotency(kind, options),
    call: {
      ...parameters.call,
      ...(insurersPath(path, parameters) === publicPath
        ? {}
        : { path: insurersPath(path, parameters) }),
    },
    examples: {
      ...parameters.examples,
      body: body.examples,
      answer: read?.examples ?? [],
    },
  };
}

/** Reports separate servers of operations: the operator configures one address for all operations. */
function reportServers(reader: SchemaReader, places: readonly Located[], operation: string): void {
  for (const { pointer, value } of places)
    if (
      listOf(value.servers).length > 0 &&
      !isDeepStrictEqual(value.servers, reader.document.root.servers)
    )
      reader.report.add({
        operation,
        pointer: appendToPointer(pointer, "servers"),
        effect: "Its own server is ignored: requests go to the configured address.",
        severity: "lost",
      });
}

/**
 * Requires an answer with status 200 for a file or a page of a search, because adapters read files and pages only from
 * 200.
 */
function refuseOtherStatus(
  kind: EndpointKind,
  answers: readonly PublishedAnswer[],
  { pointer }: Located,
): void {
  if ((kind !== "document" && kind !== "search") || answers.some(({ status }) => status === 200))
    return;
  const statuses = answers.map(({ status }) => status).join(", ");
  throw new ImportFault(
    `is a ${kind} that answers with ${statuses}, and never with 200; the overlay can make it another kind`,
    appendToPointer(pointer, "responses"),
  );
}

/**
 * Reports success answers of a file with other statuses than 200. Insurers often answer with 202 until a file is
 * ready.
 */
function reportOtherStatuses(
  { report }: SchemaReader,
  kind: EndpointKind,
  answers: readonly PublishedAnswer[],
  { notReady, operation }: { readonly notReady: number | undefined; readonly operation: string },
): void {
  if (kind !== "document" && kind !== "search") return;
  for (const { located, status } of answers)
    if (status !== 200 && status !== notReady)
      report.add({
        operation,
        pointer: located.pointer,
        effect: `A ${kind} is read from an answer with 200, and one with ${status} is unusable${kind === "document" ? "; if it means that the file is not there yet, add notReady in the overlay" : ""}.`,
        severity: "lost",
      });
}

/** Adds `idempotency: none` to a submission unless the overlay declares how the insurer treats a repeated key. */
function withIdempotency(kind: EndpointKind, options: OperationOptions): OperationOptions {
  if (kind !== "submission" || options.idempotency !== undefined) return options;
  return { ...options, idempotency: options.reconcile === undefined ? "none" : "reconcile" };
}

function kindOf(
  method: Method,
  chosen: EndpointKind | undefined,
  files: readonly FileType[],
  { pointer }: Located,
): EndpointKind {
  const usual = method === "GET" ? (files.length > 0 ? "document" : "read") : "submission";
  const kind = chosen ?? usual;
  if (kindPolicies[kind].methods.includes(method)) return kind;
  throw new ImportFault(`is ${method}, which a ${kind} cannot be`, pointer);
}

function filesPart(
  kind: EndpointKind,
  [first, ...others]: readonly FileType[],
  { pointer }: Located,
): Pick<ImportedEndpoint, "files"> {
  if (kind !== "document") return {};
  if (first === undefined)
    throw new ImportFault(
      "is a document without a type of file: its answer must be bytes",
      pointer,
    );
  return { files: [first, ...others] };
}

function bodyOf(
  reader: SchemaReader,
  { pointer, value }: Located,
  method: Method,
  place: Place,
): ReturnType<typeof readBody> {
  if (value.requestBody === undefined) return { examples: [] };
  const body = reader.document.follow(value.requestBody, appendToPointer(pointer, "requestBody"));
  if (method !== "GET") return readBody(reader, body, place);
  if (body.value.required === true)
    throw new ImportFault(
      "is a GET with a required body, which no proxy must pass (RFC 9110)",
      body.pointer,
    );
  const effect = "The body of a GET is left out.";
  reader.report.add({
    operation: place.operation,
    pointer: body.pointer,
    effect,
    severity: "lost",
  });
  return { examples: [] };
}

/** Removes the header parameter for the idempotency key, because the gateway itself sends this header. */
function withoutKey(
  parameters: readonly Located[],
  kind: EndpointKind,
  { keyAt = { header: "idempotency-key" } }: OperationOptions,
): readonly Located[] {
  if (!kindPolicies[kind].actsAtInsurer || !("header" in keyAt)) return parameters;
  const header = keyAt.header.toLowerCase();
  return parameters.filter(
    ({ value }) => !(value.in === "header" && String(value.name).toLowerCase() === header),
  );
}

/** Declares path parameters that the document does not declare, as texts. */
function withUndeclaredPathParameters(
  parameters: readonly Located[],
  { operation, path, pointer }: { operation: string; path: string; pointer: string },
  reader: SchemaReader,
): readonly Located[] {
  const declared = new Set(
    parameters.filter(({ value }) => value.in === "path").map(({ value }) => value.name),
  );
  const names = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = ""]) => name);
  const forgotten = names.filter((name) => !declared.has(name));
  for (const name of forgotten)
    reader.report.add({
      operation,
      pointer,
      effect: `The path parameter ${name}, which the document does not declare, is any text.`,
      severity: "loosened",
    });
  const added = forgotten.map((name) => ({
    pointer,
    value: { in: "path", name, schema: { type: "string" } },
  }));
  return [...parameters, ...added];
}

/** Returns the insurer's path template with the public names of its parameters. */
function insurersPath(path: string, { pathNames }: ReadParameters): string {
  return path.replaceAll(/\{([^}]*)\}/g, (written, name: string) => {
    const found = pathNames.get(name);
    return found === undefined ? written : `{${found}}`;
  });
}

/** Returns the public path without the segments that the operator's settings fill. */
function publicPathOf(path: string, parameters: ReadParameters, { pointer }: Located): string {
  const settings = Object.keys(parameters.call.settings.path);
  const segments = insurersPath(path, parameters)
    .split("/")
    .filter((segment) => !settings.some((name) => segment === `{${name}}`));
  // A segment can have only one parameter: `{base}...{head}` becomes two segments of the public path.
  const found = segments.map(oneEach).join("/") || "/";
  if (pathSegments(found) === null || !/^[\x21-\x7e]+$/.test(path))
    throw new ImportFault(
      `has the path ${JSON.stringify(path)}, which is not a template of ASCII characters; give it another path in the overlay`,
      pointer,
    );
  return found;
}

function oneEach(segment: string): string {
  const parameters = segment.match(/\{[^}]*\}/g) ?? [];
  return parameters.length > 1 ? parameters.join("/") : segment;
}
