import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { parseXml } from "@insurance-gateway/adapter/soap";
import { XMLValidator } from "fast-xml-parser";
import { ImportFault } from "../report.ts";
import { attributeOf, childrenOf, WSDL, type XmlNode, XSD } from "./nodes.ts";

/** Maximum size of all files of one WSDL together. */
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;
/** Maximum number of files of one WSDL. Schemas often have one file per type; more files are a mistake or an attack. */
const MAX_FILES = 500;

/** A `schema` element of a document, with the namespaces of its names. */
export interface SchemaFile {
  readonly node: XmlNode;
  readonly namespace: string;
  /** True if local elements, or local attributes, are in the schema's namespace. */
  readonly isQualified: boolean;
  readonly hasQualifiedAttributes: boolean;
}

/** A WSDL with all its files. */
export interface LoadedWsdl {
  /** The `definitions` elements of all files, beginning with the file that the user named. */
  readonly definitions: readonly XmlNode[];
  readonly schemas: readonly SchemaFile[];
  /** The URLs to which the WSDL refers. The importer does not fetch them. */
  readonly unread: readonly string[];
  /** The places where the WSDL changes included schemas (`redefine`), which is not supported. */
  readonly redefined: readonly string[];
}

/** Reports whether a file is XML: JSON and YAML never begin with `<`. */
export function isXmlFile(file: string): boolean {
  if (!existsSync(file) || !statSync(file).isFile()) return false;
  const bytes = readFileSync(file).subarray(0, 200);
  const text = bytes
    .toString("latin1")
    .replace(/^(\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff)/, "");
  return text.replaceAll("\u0000", "").trimStart().startsWith("<");
}

/**
 * Reads a WSDL and the files that the WSDL imports and includes. These files must be in the WSDL's folder or below;
 * nothing is fetched.
 * @throws ImportFault if a file cannot be read
 */
export function loadWsdl(file: string): LoadedWsdl {
  const root = realpathSync(file);
  const folder = dirname(root);
  const definitions: XmlNode[] = [];
  const schemas: SchemaFile[] = [];
  const unread = new Set<string>();
  const redefined: string[] = [];
  const seen = new Set<string>();
  const parsed = new Map<string, XmlNode>();
  let bytes = 0;

  const nodeOf = (path: string): XmlNode => {
    const known = parsed.get(path);
    if (known !== undefined) return known;
    const name = relative(folder, path) || basename(path);
    bytes += statSync(path).size;
    if (parsed.size >= MAX_FILES || bytes > MAX_TOTAL_BYTES)
      throw new ImportFault(
        `The document has more than ${MAX_FILES} files, or more than ${MAX_TOTAL_BYTES / 1024 / 1024} MB`,
      );
    const node = parsedFile(path, name);
    parsed.set(path, node);
    return node;
  };

  /** Returns the file of a location; undefined for a URL, which is not fetched. */
  const located = (node: XmlNode, location: string, from: string): string | undefined => {
    if (/^[a-z][a-z0-9+.-]+:/i.test(location) || location.startsWith("//")) {
      unread.add(location.slice(0, 200));
      return undefined;
    }
    const target = resolve(dirname(from), decoded(location));
    const shown = JSON.stringify(location.slice(0, 120));
    if (isAbsolute(location) || !isInside(folder, target))
      throw new ImportFault(`refers to ${shown}, which is outside the document's folder`, node.at);
    if (!existsSync(target) || !statSync(target).isFile())
      throw new ImportFault(
        `refers to ${shown}, which is not beside the document; save it there`,
        node.at,
      );
    const real = realpathSync(target);
    if (!isInside(folder, real))
      throw new ImportFault(`refers to ${shown}, which is outside the document's folder`, node.at);
    return real;
  };

  const waiting: Waiting[] = [{ node: nodeOf(root), path: root, namespace: undefined }];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { namespace, node, path } = next;
    if (node.element.namespace === WSDL && node.element.name === "definitions") {
      definitions.push(node);
      for (const one of childrenOf(node, WSDL, "import")) {
        const location = attributeOf(one, "location");
        const found = location === undefined ? undefined : located(one, location, path);
        if (found !== undefined) add(found, undefined);
      }
      for (const types of childrenOf(node, WSDL, "types"))
        for (const schema of childrenOf(types, XSD, "schema"))
          waiting.push({ node: schema, path, namespace: undefined });
      continue;
    }
    if (node.element.namespace !== XSD || node.element.name !== "schema")
      throw new ImportFault("is neither the definitions of WSDL 1.1 nor a schema", node.at);
    const own = attributeOf(node, "targetNamespace") ?? namespace ?? "";
    schemas.push({
      node,
      namespace: own,
      isQualified: attributeOf(node, "elementFormDefault") === "qualified",
      hasQualifiedAttributes: attributeOf(node, "attributeFormDefault") === "qualified",
    });
    for (const one of childrenOf(node, XSD, "include", "import", "redefine")) {
      if (one.element.name === "redefine") redefined.push(one.at);
      const location = attributeOf(one, "schemaLocation");
      const found = location === undefined ? undefined : located(one, location, path);
      if (found !== undefined) add(found, one.element.name === "import" ? undefined : own);
    }
  }
  return { definitions, schemas, unread: [...unread], redefined };

  function add(path: string, namespace: string | undefined): void {
    // A schema without a namespace has the namespace of the schema that includes it, so it may be read several times.
    const key = `${namespace ?? ""} ${path}`;
    if (seen.has(key) || path === root) return;
    seen.add(key);
    waiting.push({ node: nodeOf(path), path, namespace });
  }
}

interface Waiting {
  readonly node: XmlNode;
  readonly path: string;
  /** The namespace of the including schema. */
  readonly namespace: string | undefined;
}

function isInside(folder: string, target: string): boolean {
  const way = relative(folder, target);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function decoded(location: string): string {
  try {
    return decodeURIComponent(location);
  } catch {
    return location;
  }
}

function parsedFile(path: string, name: string): XmlNode {
  const text = textOf(readFileSync(path), name);
  // Only a document type can declare entities, which could make a file enormous or read other files.
  if (/<!(DOCTYPE|ENTITY)/i.test(text))
    throw new ImportFault(`${name} has a document type, which could declare entities; remove it`);
  const element = parseXml(text);
  if (element !== null) return { element, at: `${name}: ${element.name}` };
  const fault = XMLValidator.validate(text);
  const why =
    fault === true ? "it is too deep or too large" : `line ${fault.err.line}: ${fault.err.msg}`;
  throw new ImportFault(`${name} is not readable XML: ${why}`);
}

/**
 * Decodes a file in the charset of the file's byte order mark or XML declaration; without either, as UTF-8 (XML 1.0,
 * appendix F).
 */
function textOf(bytes: Buffer, name: string): string {
  const head = bytes.subarray(0, 200).toString("latin1");
  const [, declared = "utf-8"] = /^<\?xml[^>]*?encoding\s*=\s*["']([\w.-]+)/.exec(head) ?? [];
  const charset = head.startsWith("\u00ff\u00fe")
    ? "utf-16le"
    : head.startsWith("\u00fe\u00ff")
      ? "utf-16be"
      : declared;
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    throw new ImportFault(`${name} is not in the charset ${charset}`);
  }
}
