import { ImportFault } from "../report.ts";
import type { SchemaFile } from "./load.ts";
import { childrenOf, keyOf, nameOf, type QName, qnameIn, type XmlNode, XSD } from "./nodes.ts";

/** A declaration in a schema, with the file that defines the namespaces of its names. */
export interface Declared {
  readonly node: XmlNode;
  readonly file: SchemaFile;
}

/** The kinds of named components in a schema. */
export type Kind = "element" | "attribute" | "type" | "group" | "attributeGroup";

/** Returns a key for a declaration's kind and name. */
function declarationKey(kind: Kind, name: QName): string {
  return `${kind} ${keyOf(name)}`;
}

const KINDS: Readonly<Record<string, Kind>> = {
  element: "element",
  attribute: "attribute",
  complexType: "type",
  simpleType: "type",
  group: "group",
  attributeGroup: "attributeGroup",
};

/** Returns the top-level declarations of the schemas, by `declarationKey`. */
function declarationsIn(schemas: readonly SchemaFile[]): ReadonlyMap<string, Declared> {
  const found = new Map<string, Declared>();
  for (const file of schemas)
    for (const node of childrenOf(file.node, XSD, ...Object.keys(KINDS))) {
      const kind = KINDS[node.element.name];
      if (kind === undefined) continue;
      const key = declarationKey(kind, { namespace: file.namespace, name: nameOf(node) });
      if (!found.has(key)) found.set(key, { node, file });
    }
  return found;
}

/**
 * Creates a function that finds the declaration of a name.
 * @param unread - the files to which the document refers and that the importer could not read
 */
export function declarationFinder(
  schemas: readonly SchemaFile[],
  unread: readonly string[],
): (kind: Kind, name: QName, from: XmlNode) => Declared {
  const declared = declarationsIn(schemas);
  return (kind, name, { at }) => {
    const found = declared.get(declarationKey(kind, name));
    if (found !== undefined) return found;
    const missing =
      unread.length === 0
        ? ""
        : `; ${unread.slice(0, 3).join(", ")} is not fetched: save it beside the document, and refer to the file`;
    throw new ImportFault(
      `names the ${kind} ${keyOf(name)}, which no schema declares${missing}`,
      at,
    );
  };
}

/** Returns the elements that other elements may replace (`substitutionGroup`). */
export function substitutionHeads(schemas: readonly SchemaFile[]): ReadonlySet<string> {
  return new Set(
    schemas.flatMap((file) =>
      childrenOf(file.node, XSD, "element").flatMap((node) => {
        const head = qnameIn(node, "substitutionGroup", file.namespace);
        return head === undefined ? [] : [keyOf(head)];
      }),
    ),
  );
}

/** Returns the types that other types extend. With `xsi:type`, an element can have the extending type instead. */
export function extendedTypes(schemas: readonly SchemaFile[]): ReadonlySet<string> {
  return new Set(
    schemas.flatMap((file) =>
      childrenOf(file.node, XSD, "complexType")
        .flatMap((type) => childrenOf(type, XSD, "complexContent", "simpleContent"))
        .flatMap((content) => childrenOf(content, XSD, "extension"))
        .flatMap((extension) => {
          const base = qnameIn(extension, "base", file.namespace);
          return base === undefined ? [] : [keyOf(base)];
        }),
    ),
  );
}
