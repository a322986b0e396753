import { readFileSync, statSync } from "node:fs";
import { upgrade } from "@scalar/openapi-upgrader";
import { type Document, isScalar, isSeq, parseDocument, visit, type YAMLMap } from "yaml";
import { EXTENSION } from "../operations/options.ts";
import { ImportFault } from "../report.ts";
import { applySoapOptions, type SoapDocument } from "../wsdl/arrange.ts";
import { isXmlFile } from "../wsdl/load.ts";
import { translateWsdl } from "../wsdl/translate.ts";
import { applyOverlay } from "./overlay.ts";
import {
  appendToPointer,
  type ImportDocument,
  importDocument,
  isObject,
  type JsonObject,
  membersOf,
  objectAt,
} from "./references.ts";

/** Maximum size of a document, which is checked before the document is parsed. */
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;
/**
 * Maximum nesting depth of a document. Published documents have less than 60 levels, so deeper documents are hostile.
 */
const MAX_NESTING_LEVELS = 200;
/** Maximum number of YAML aliases in a document. Aliases can make a small file enormous ("billion laughs"). */
const MAX_YAML_ALIASES = 1_000;

/** A document as OpenAPI 3.1 with its overlay applied. */
export interface ReadDocument {
  readonly document: ImportDocument;
  readonly title: string;
  readonly version: string;
  /** The XML structure of the messages, if the document is a WSDL. */
  readonly soap?: SoapDocument;
}

/**
 * Reads an OpenAPI document (2.0, 3.0 or 3.1; JSON or YAML), applies its overlay and converts it to OpenAPI 3.1. A WSDL
 * 1.1 and the files that the WSDL imports from its own folder are translated to OpenAPI 3.1 before the overlay is
 * applied. The function reads no other file, fetches nothing and executes nothing of the document.
 * @throws ImportFault with the reason if the document cannot be read
 */
export function readDocument(file: string, overlayFile?: string): ReadDocument {
  if (isXmlFile(file)) return readWsdl(file, overlayFile);
  const published = parseFile(file);
  if (published.swagger !== "2.0" && !/^3\.[01](\.|$)/.test(String(published.openapi)))
    throw new ImportFault(
      `${file} is not an OpenAPI document that can be imported: it must say "swagger": "2.0", or "openapi" 3.0 or 3.1; or be a WSDL 1.1`,
    );
  const own = withPathItems(objectAt(withoutImporterOptions(published), ""));
  const chosen = overlayFile === undefined ? own : overlaid(own, overlayFile);
  return documentOf(
    upgradeDocument(chosen.swagger === "2.0" ? withSwaggerDefaults(chosen) : chosen, file),
  );
}

function readWsdl(file: string, overlayFile: string | undefined): ReadDocument {
  const translated = translateWsdl(file);
  const { document } = translated;
  const chosen = overlayFile === undefined ? document : overlaid(document, overlayFile);
  const { root, soap } = applySoapOptions(chosen, translated);
  return { ...documentOf(root), soap };
}

function documentOf(root: JsonObject): ReadDocument {
  const info = isObject(root.info) ? root.info : {};
  return {
    document: importDocument(root),
    title: typeof info.title === "string" ? info.title : "",
    version: typeof info.version === "string" ? info.version : "",
  };
}

/**
 * Removes the importer's own options from a document: only an overlay may select operations. Otherwise a document could
 * offer brokers operations that they must never reach.
 */
function withoutImporterOptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutImporterOptions);
  if (!isObject(value)) return value;
  const others = Object.entries(value).filter(([name]) => name !== EXTENSION);
  return Object.fromEntries(others.map(([name, member]) => [name, withoutImporterOptions(member)]));
}

/**
 * Replaces a reference in place of a path by the operations to which it refers, so that an overlay can select these
 * operations. Members beside the `$ref` remain.
 */
function withPathItems(document: JsonObject): JsonObject {
  const references = importDocument(document);
  const paths = membersOf(document.paths).map(([path, item]) => {
    if (!isObject(item) || item.$ref === undefined) return [path, item];
    const { $ref: _reference, ...beside } = item;
    const found = followOrNull(
      () => references.follow(item, appendToPointer("/paths", path)).value,
    );
    return [path, found === null ? item : { ...found, ...beside }];
  });
  return document.paths === undefined
    ? document
    : { ...document, paths: Object.fromEntries(paths) };
}

/** Follows a reference. Returns null if its target does not exist, because the overlay may have removed it. */
function followOrNull(follow: () => JsonObject): JsonObject | null {
  try {
    return follow();
  } catch (error) {
    if (error instanceof ImportFault) return null;
    throw error;
  }
}

function overlaid(published: JsonObject, overlayFile: string): JsonObject {
  return applyOverlay(published, parseFile(overlayFile), overlayFile);
}

/**
 * Adds to a Swagger 2.0 document two defaults that the upgrade to OpenAPI 3.1 loses: files are binary, and a list in a
 * form is one comma-separated text.
 */
function withSwaggerDefaults(document: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(document), (_, value: unknown) => {
    if (!isObject(value)) return value;
    if (value.type === "file") return { ...value, type: "string", format: "binary" };
    return value.in === "formData" && value.type === "array"
      ? { collectionFormat: "csv", ...value }
      : value;
  });
}

/** Upgrades a document to OpenAPI 3.1. The library modifies its argument and expects a valid document. */
function upgradeDocument(document: JsonObject, file: string): JsonObject {
  try {
    const result: unknown = upgrade(structuredClone(document), "3.1");
    if (isObject(result)) return result;
  } catch {
    // The text of a TypeError inside the library would not help the user.
  }
  throw new ImportFault(`${file} cannot be read as OpenAPI: its parts are not what they should be`);
}

function parseFile(file: string): JsonObject {
  const text = readText(file);
  const value = text.trimStart().startsWith("{") ? parseJson(text, file) : parseYaml(text, file);
  if (!isObject(value)) throw new ImportFault(`${file} does not contain an object`);
  if (isDeeper(value, MAX_NESTING_LEVELS))
    throw new ImportFault(
      `${file} is nested more than ${MAX_NESTING_LEVELS} levels deep, or contains itself`,
    );
  return value;
}

function readText(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new ImportFault(`There is no file ${file}`);
  if (!found.isFile()) throw new ImportFault(`${file} is not a file`);
  if (found.size > MAX_DOCUMENT_BYTES)
    throw new ImportFault(`${file} is larger than ${MAX_DOCUMENT_BYTES / 1024 / 1024} MB`);
  return readFileSync(file, "utf8").replace(/^\uFEFF/, "");
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // JSON is a part of YAML, and the YAML parser reports the place of a fault.
    return parseYaml(text, file);
  }
}

function parseYaml(text: string, file: string): unknown {
  const document = parseDocument(text, { prettyErrors: true, uniqueKeys: true });
  const [fault] = document.errors;
  if (fault !== undefined)
    throw new ImportFault(`${file} is neither JSON nor YAML: ${fault.message}`);
  keepTexts(document);
  try {
    return document.toJS({ maxAliasCount: MAX_YAML_ALIASES });
  } catch {
    throw new ImportFault(
      `${file} repeats its parts by aliases more than ${MAX_YAML_ALIASES} times, which could fill the memory`,
    );
  }
}

/** Converts unquoted numbers in YAML, such as `01` and `2.0`, to texts if the document declares a text there. */
function keepTexts(document: Document): void {
  for (const path of [["openapi"], ["swagger"], ["info", "title"], ["info", "version"]])
    keepText(document.getIn(path, true));
  visit(document, {
    Map(_, map) {
      if (!isOfTexts(map.get("type", true))) return;
      for (const name of ["const", "default", "example", "enum", "examples", "x-extensible-enum"])
        keepTextsIn(map, name);
    },
  });
}

/** Reports whether a schema's `type` is a text, possibly with null. */
function isOfTexts(type: unknown): boolean {
  const types = isSeq(type) ? type.items : [type];
  const names = types.map((one) => (isScalar(one) ? one.value : one));
  return names.includes("string") && names.every((name) => name === "string" || name === "null");
}

function keepTextsIn(map: YAMLMap, name: string): void {
  const value = map.get(name, true);
  for (const one of isSeq(value) ? value.items : [value]) keepText(one);
}

function keepText(node: unknown): void {
  if (isScalar(node) && node.source !== undefined && node.value !== null) node.value = node.source;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}
