import { appendToPointer } from "../document/references.ts";
import { ImportFault } from "../report.ts";
import { readContent } from "./content.ts";
import type { Content, Declarations, Leaf, TypeLoss } from "./content-model.ts";
import type { Declared } from "./declared.ts";
import {
  attributeOf,
  childOf,
  documentationOf,
  keyOf,
  type QName,
  qnameIn,
  type XmlNode,
  XSD,
} from "./nodes.ts";
import { translatedSimple } from "./simple-type-schema.ts";
import { builtIn, readSimpleType, type SimpleType } from "./simple-types.ts";
import type { TranslatedTypes } from "./translated-types.ts";

/** The inputs for reading the types of elements and attributes. */
export interface TypeSource {
  readonly declarations: Declarations;
  readonly types: TranslatedTypes;
  /** The keys of the types that other types extend. */
  readonly extended: ReadonlySet<string>;
}

/** The namespace of SOAP encoding, whose types cannot describe literal messages. */
export const SOAP_ENCODING = "http://schemas.xmlsoap.org/soap/encoding";

/** Reads the type of an element or attribute with the description, default and fixed value of its declaration. */
export function leafOf(
  source: TypeSource,
  declared: Declared,
  owner: string,
  global?: QName,
): Leaf {
  const { node } = declared;
  const leaf = plainLeaf(source, declared, owner, global);
  const description = documentationOf(node);
  const usual = attributeOf(node, "default");
  const fixed = attributeOf(node, "fixed");
  const isText = leaf.schema.type === "string";
  return {
    ...leaf,
    schema: {
      ...leaf.schema,
      ...(description === undefined ? {} : { description }),
      ...(usual === undefined || !isText ? {} : { default: usual }),
      ...(fixed === undefined || !isText ? {} : { enum: [fixed] }),
    },
  };
}

function plainLeaf(
  source: TypeSource,
  { file, node }: Declared,
  owner: string,
  global?: QName,
): Leaf {
  const { declarations, types } = source;
  const complex = childOf(node, XSD, "complexType");
  if (complex !== undefined) {
    const here = { node: complex, file };
    // A global element may contain itself through a reference.
    if (global !== undefined)
      return sharedLeaf(source, `element ${keyOf(global)}`, global.name, here);
    const { content, name } = types.add(owner, () => readContent(declarations, here, owner), here);
    if (content instanceof ImportFault) throw content;
    return { schema: content.schema, field: { type: name }, unchecked: [] };
  }
  const simple = childOf(node, XSD, "simpleType");
  if (simple !== undefined) return simpleLeaf(readSimple(declarations, { node: simple, file }, 0));
  const name = qnameIn(node, "type", file.namespace);
  if (name !== undefined) return leafOfType(source, name, node);
  return node.element.name === "attribute"
    ? simpleLeaf(builtIn("anySimpleType"))
    : { schema: {}, field: { as: "anything" }, unchecked: [] };
}

/** Reads the type that an element, an attribute or a message part names. */
export function leafOfType(source: TypeSource, name: QName, from: XmlNode): Leaf {
  if (name.namespace === XSD)
    return name.name === "anyType"
      ? { schema: {}, field: { as: "anything" }, unchecked: [] }
      : simpleLeaf(builtIn(name.name));
  if (name.namespace.startsWith(SOAP_ENCODING))
    throw new ImportFault(
      `is of the type ${name.name} of SOAP's own encoding, which is not literal`,
      from.at,
    );
  const found = source.declarations.find("type", name, from);
  if (found.node.element.name === "simpleType")
    return simpleLeaf(readSimple(source.declarations, found, 0));
  return sharedLeaf(source, keyOf(name), name.name, found);
}

function sharedLeaf(source: TypeSource, key: string, title: string, found: Declared): Leaf {
  const type = source.types.share(key, title, () => contentAt(source, key, title, found), found);
  return {
    schema: { $ref: `#${appendToPointer("/components/schemas", type.name)}` },
    field: { type: type.name },
    unchecked: [],
  };
}

/** Returns the content of elements with a type, and a loss if `xsi:type` could select another type. */
function contentAt(
  { declarations, extended }: TypeSource,
  key: string,
  title: string,
  found: Declared,
): Content {
  const content = readContent(declarations, found, title);
  const { node } = found;
  const isAbstract = attributeOf(node, "abstract") === "true";
  if (!isAbstract && !extended.has(key)) return content;
  const effect = `The type is ${isAbstract ? "abstract" : "extended by others"}: of the types that extend it, answers have their own fields as they are, and requests cannot name one (xsi:type).`;
  const loss: TypeLoss = { at: node.at, effect, request: "lost", answer: "loosened" };
  return { ...content, losses: [loss, ...content.losses] };
}

/** Converts a simple type to the content of an element or attribute. */
export function simpleLeaf(type: SimpleType): Leaf {
  const { as, isSpaced, schema, unchecked } = translatedSimple(type);
  return {
    schema,
    field: { ...(as === "text" ? {} : { as }), ...(isSpaced ? { spaced: true } : {}) },
    unchecked,
  };
}

/** Reads a simple type and the types that it names. */
export function readSimple(
  declarations: Declarations,
  { file, node }: Declared,
  depth: number,
): SimpleType {
  return readSimpleType(
    node,
    (name, from, deeper) => {
      if (name.namespace === XSD) return builtIn(name.name);
      const found = declarations.find("type", name, from);
      return found.node.element.name === "simpleType"
        ? readSimple(declarations, found, deeper)
        : builtIn("string");
    },
    (one, attribute) => qnameIn(one, attribute, file.namespace),
    depth,
  );
}

/** Returns losses for rules of the document that the package does not check. */
export function loosened(effects: readonly string[], { at }: XmlNode): readonly TypeLoss[] {
  return effects.map((effect) => ({ at, effect, request: "loosened", answer: "loosened" }));
}
