import { readFileSync, statSync } from "node:fs";
import { upgrade } from "@scalar/openapi-upgrader";
import { type Document, isScalar, isSeq, parseDocument, visit, type YAMLMap } from "yaml";
import { EXTENSION } from "../operations/options.ts";
import { ImportFault } from "../report.ts";
import { arranged, type SoapDocument } from "../wsdl/arrange.ts";
import { isXmlFile } from "../wsdl/load.ts";
import { translateWsdl } from "../wsdl/translate.ts";
import { applyOverlay } from "./overlay.ts";
import {
  below,
  type ImportDocument,
  importDocument,
  isObject,
  type JsonObject,
  membersOf,
  objectAt,
} from "./references.ts";

/** Larger documents are refused before they are parsed. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Deeper documents are hostile: no published one has 60 levels. */
const DEEPEST = 200;
/** YAML's aliases can make a small file enormous (a "billion laughs"). */
const MOST_ALIASES = 1_000;

/** A document that was read, with its overlay applied, as OpenAPI 3.1. */
export interface ReadDocument {
  readonly document: ImportDocument;
  readonly title: string;
  readonly version: string;
  /** The XML form of the messages, for a WSDL. */
  readonly soap?: SoapDocument;
}

/**
 * Reads an OpenAPI document (2.0, 3.0 or 3.1; JSON or YAML), applies its overlay and brings it to OpenAPI 3.1. A WSDL 1.1 is
 * translated to OpenAPI 3.1 before its overlay is applied, with the files that it imports from its own folder. Nothing else
 * is read, nothing is fetched, and nothing in the file is executed.
 * @throws ImportFault when it cannot be read; the message says why
 */
export function readDocument(file: string, overlayFile?: string): ReadDocument {
  if (isXmlFile(file)) return readWsdl(file, overlayFile);
  const published = parseFile(file);
  if (published.swagger !== "2.0" && !/^3\.[01](\.|$)/.test(String(published.openapi)))
    throw new ImportFault(
      `${file} is no OpenAPI document that can be imported: it must say "swagger": "2.0", or "openapi" 3.0 or 3.1; or be a WSDL 1.1`,
    );
  const own = withPathItems(objectAt(withoutOurMember(published), ""));
  const chosen = overlayFile === undefined ? own : overlaid(own, overlayFile);
  return documentOf(upgraded(chosen.swagger === "2.0" ? completed(chosen) : chosen, file));
}

function readWsdl(file: string, overlayFile: string | undefined): ReadDocument {
  const translated = translateWsdl(file);
  const { document } = translated;
  const chosen = overlayFile === undefined ? document : overlaid(document, overlayFile);
  const { root, soap } = arranged(chosen, translated);
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

/** Only an overlay says what is imported: a document that said it could offer brokers what they must never reach. */
function withoutOurMember(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOurMember);
  if (!isObject(value)) return value;
  const others = Object.entries(value).filter(([name]) => name !== EXTENSION);
  return Object.fromEntries(others.map(([name, member]) => [name, withoutOurMember(member)]));
}

/** Has each path's operations in its place, where an overlay finds them; a member beside a `$ref` is kept. */
function withPathItems(document: JsonObject): JsonObject {
  const references = importDocument(document);
  const paths = membersOf(document.paths).map(([path, item]) => {
    if (!isObject(item) || item.$ref === undefined) return [path, item];
    const { $ref: _reference, ...beside } = item;
    const found = followed(() => references.follow(item, below("/paths", path)).value);
    return [path, found === null ? item : { ...found, ...beside }];
  });
  return document.paths === undefined
    ? document
    : { ...document, paths: Object.fromEntries(paths) };
}

/** Follows a reference. Returns null if its target does not exist, because the overlay may have removed it. */
function followed(follow: () => JsonObject): JsonObject | null {
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
 * Says what the upgrade of Swagger 2.0 forgets: that a file is binary, and that the lists of a form are one text with commas
 * where nothing else is said.
 */
function completed(document: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(document), (_, value: unknown) => {
    if (!isObject(value)) return value;
    if (value.type === "file") return { ...value, type: "string", format: "binary" };
    return value.in === "formData" && value.type === "array"
      ? { collectionFormat: "csv", ...value }
      : value;
  });
}

/** The upgrade changes what it is given, and expects documents that are what they should be. */
function upgraded(document: JsonObject, file: string): JsonObject {
  try {
    const result: unknown = upgrade(structuredClone(document), "3.1");
    if (isObject(result)) return result;
  } catch {
    // The message of a TypeError in a library helps nobody.
  }
  throw new ImportFault(`${file} cannot be read as OpenAPI: its parts are not what they should be`);
}

function parseFile(file: string): JsonObject {
  const text = readText(file);
  const value = text.trimStart().startsWith("{") ? parseJson(text, file) : parseYaml(text, file);
  if (!isObject(value)) throw new ImportFault(`${file} holds no object`);
  if (isDeeper(value, DEEPEST))
    throw new ImportFault(`${file} is nested more than ${DEEPEST} levels deep, or holds itself`);
  return value;
}

function readText(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new ImportFault(`There is no file ${file}`);
  if (!found.isFile()) throw new ImportFault(`${file} is no file`);
  if (found.size > MOST_BYTES)
    throw new ImportFault(`${file} is larger than ${MOST_BYTES / 1024 / 1024} MB`);
  return readFileSync(file, "utf8").replace(/^\uFEFF/, "");
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // YAML contains JSON, and its parser says where the fault is.
    return parseYaml(text, file);
  }
}

function parseYaml(text: string, file: string): unknown {
  const document = parseDocument(text, { prettyErrors: true, uniqueKeys: true });
  const [fault] = document.errors;
  if (fault !== undefined)
    throw new ImportFault(`${file} is no JSON and no YAML: ${fault.message}`);
  keepTexts(document);
  try {
    return document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch {
    throw new ImportFault(
      `${file} repeats its parts by aliases more than ${MOST_ALIASES} times, which could fill the memory`,
    );
  }
}

/** YAML reads `01` and `2.0` as numbers. Where the document says that they are texts, they stay as they are written. */
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

/** Whether a schema's `type` is that of texts, or of texts and null. */
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
