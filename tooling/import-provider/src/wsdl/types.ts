import type { XmlType } from "@insurance-gateway/adapter/soap";
import { below, type JsonObject } from "../document/references.ts";
import { ImportFault } from "../report.ts";
import { readContent } from "./content.ts";
import type { Content, Declarations, Leaf, TypeLoss } from "./content-model.ts";
import {
  type Declared,
  declarationKey,
  declarationsIn,
  extendedTypes,
  type Kind,
  substitutionHeads,
} from "./declared.ts";
import type { LoadedWsdl, SchemaFile } from "./load.ts";
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
import {
  builtIn,
  readSimpleType,
  restricted,
  type SimpleType,
  translatedSimple,
} from "./simple-types.ts";

/** A complex type of the document. */
export interface TranslatedType {
  /** Unique in the document; of a shared one, the name of its schema. */
  readonly name: string;
  /** Whether schemas refer to it by its name; every other one stands where it is used. */
  readonly isShared: boolean;
  /** What it is, or why it cannot be declared; set when it is read, because types refer to themselves. */
  content: TypeContent | ImportFault;
}

/** What is known of a complex type. */
export interface TypeContent {
  readonly schema: JsonObject;
  readonly type: XmlType;
  readonly losses: readonly TypeLoss[];
}

/** A part of an rpc message. */
export interface Part {
  readonly name: string;
  readonly type: QName;
  readonly node: XmlNode;
}

/** The types of a document, each read when an operation needs it. */
export interface TypeReader {
  /**
   * The type of a global element; undefined for one that has nothing inside.
   * @throws ImportFault for an element that cannot be declared
   */
  ofElement(name: QName, from: XmlNode, owner: string): TranslatedType | undefined;
  /** A type of fields that are elements without a namespace (rpc/literal). */
  ofParts(parts: readonly Part[], owner: string): TranslatedType;
  /** A type and all that it is made of. */
  reachedFrom(type: TranslatedType): readonly TranslatedType[];
}

/** A document with more types is a mistake or an attack. */
const MOST_TYPES = 10_000;

/** Makes the reader of a document's types. */
export function typeReader({
  schemas,
  unread,
}: Pick<LoadedWsdl, "schemas" | "unread">): TypeReader {
  const declared = declarationsIn(schemas);
  const substituted = substitutionHeads(schemas);
  const extended = extendedTypes(schemas);
  const types = new Map<string, TranslatedType>();
  /** The shared types by the keys of their names. */
  const shared = new Map<string, TranslatedType>();
  const waiting: (() => void)[] = [];
  const declarations: Declarations = {
    find,
    leafOf,
    inherited,
    hasSubstitutes: (name) => substituted.has(keyOf(name)),
  };
  return { ofElement, ofParts, reachedFrom };

  function find(kind: Kind, name: QName, { at }: XmlNode): Declared {
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
  }

  function ofElement(name: QName, from: XmlNode, owner: string): TranslatedType | undefined {
    const element = find("element", name, from);
    const { field, schema, unchecked } = leafOf(element, owner);
    readWaiting();
    const found = field.type === undefined ? undefined : types.get(field.type);
    if (found !== undefined) return isEmpty(found) ? undefined : found;
    if (field.as === "anything") throw new ImportFault("may hold anything", element.node.at);
    return register(owner, false, () => ({
      fields: [{ field: { ...field, name: "value", is: "text" }, schema, isRequired: true }],
      needsOneOf: [],
      losses: loosened(unchecked, element.node),
    }));
  }

  function ofParts(parts: readonly Part[], owner: string): TranslatedType {
    const type = register(owner, false, () => {
      const leaves = parts.map((part) => ({
        part,
        leaf: leafOfType(part.type, part.node),
      }));
      return {
        fields: leaves.map(({ leaf, part: { name } }) => ({
          field: { name, ...leaf.field, namespace: "" },
          schema: leaf.schema,
          isRequired: true,
        })),
        needsOneOf: [],
        losses: leaves.flatMap(({ leaf, part: { node } }) => loosened(leaf.unchecked, node)),
      };
    });
    readWaiting();
    return type;
  }

  function reachedFrom(type: TranslatedType): readonly TranslatedType[] {
    const reached = new Set([type]);
    // A set gives what is added while it is read.
    for (const { content } of reached)
      if (!(content instanceof ImportFault))
        for (const field of content.type.fields) {
          const inner = field.type === undefined ? undefined : types.get(field.type);
          if (inner !== undefined) reached.add(inner);
        }
    return [...reached];
  }

  /** Reads the shared types that were named; in a list, because types name types without end. */
  function readWaiting(): void {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) next();
  }

  /** Gives a type a name; one that is not shared is read at once. */
  function register(
    title: string,
    isShared: boolean,
    read: () => Content,
    node?: Declared,
  ): TranslatedType {
    if (types.size >= MOST_TYPES)
      throw new ImportFault(`The document has more than ${MOST_TYPES} types`);
    const type: TranslatedType = {
      name: freeName(title),
      isShared,
      content: new ImportFault("is a type that holds itself"),
    };
    types.set(type.name, type);
    const finish = (): void => {
      type.content = contentOf(read, node);
    };
    if (isShared) waiting.push(finish);
    else finish();
    return type;
  }

  function freeName(title: string): string {
    if (!types.has(title)) return title;
    for (let number = 2; ; number += 1)
      if (!types.has(`${title}${number}`)) return `${title}${number}`;
  }

  function leafOf({ file, node }: Declared, owner: string, global?: QName): Leaf {
    const leaf = plainLeaf({ file, node }, owner, global);
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

  function plainLeaf({ file, node }: Declared, owner: string, global?: QName): Leaf {
    const complex = childOf(node, XSD, "complexType");
    if (complex !== undefined) {
      const here = { node: complex, file };
      // An element that others refer to may hold itself.
      if (global !== undefined) return sharedLeaf(`element ${keyOf(global)}`, global.name, here);
      const { content, name } = register(
        owner,
        false,
        () => readContent(declarations, here, owner),
        here,
      );
      if (content instanceof ImportFault) throw content;
      return { schema: content.schema, field: { type: name }, unchecked: [] };
    }
    const simple = childOf(node, XSD, "simpleType");
    if (simple !== undefined) return simpleLeaf(readSimple({ node: simple, file }, 0));
    const name = qnameIn(node, "type", file.namespace);
    if (name !== undefined) return leafOfType(name, node);
    return node.element.name === "attribute"
      ? simpleLeaf(builtIn("anySimpleType"))
      : { schema: {}, field: { as: "anything" }, unchecked: [] };
  }

  function leafOfType(name: QName, from: XmlNode): Leaf {
    if (name.namespace === XSD)
      return name.name === "anyType"
        ? { schema: {}, field: { as: "anything" }, unchecked: [] }
        : simpleLeaf(builtIn(name.name));
    if (name.namespace.startsWith(SOAP_ENCODING))
      throw new ImportFault(
        `is of the type ${name.name} of SOAP's own encoding, which is not literal`,
        from.at,
      );
    const found = find("type", name, from);
    if (found.node.element.name === "simpleType") return simpleLeaf(readSimple(found, 0));
    return sharedLeaf(keyOf(name), name.name, found);
  }

  function sharedLeaf(key: string, title: string, found: Declared): Leaf {
    const type =
      shared.get(key) ?? register(title, true, () => contentAt(key, title, found), found);
    shared.set(key, type);
    return {
      schema: { $ref: `#${below("/components/schemas", type.name)}` },
      field: { type: type.name },
      unchecked: [],
    };
  }

  /** What is inside elements of a type, with what is lost where `xsi:type` could name another. */
  function contentAt(key: string, title: string, found: Declared): Content {
    const content = readContent(declarations, found, title);
    const { node } = found;
    const isAbstract = attributeOf(node, "abstract") === "true";
    if (!isAbstract && !extended.has(key)) return content;
    const effect = `The type is ${isAbstract ? "abstract" : "extended by others"}: of the types that extend it, answers have their own fields as they are, and requests cannot name one (xsi:type).`;
    const loss: TypeLoss = { at: node.at, effect, request: "lost", answer: "loosened" };
    return { ...content, losses: [loss, ...content.losses] };
  }

  function readSimple({ file, node }: Declared, depth: number): SimpleType {
    return readSimpleType(
      node,
      (name, from, deeper) => {
        if (name.namespace === XSD) return builtIn(name.name);
        const found = find("type", name, from);
        return found.node.element.name === "simpleType"
          ? readSimple(found, deeper)
          : builtIn("string");
      },
      (one, attribute) => qnameIn(one, attribute, file.namespace),
      depth,
    );
  }

  /** What a type has of the one that it extends or restricts. */
  function inherited(
    base: QName,
    from: XmlNode,
    file: SchemaFile,
    owner: string,
    depth: number,
  ): Content {
    if (base.namespace === XSD && base.name === "anyType")
      return { fields: [], needsOneOf: [], losses: [] };
    if (base.namespace.startsWith(SOAP_ENCODING))
      throw new ImportFault("is an array of SOAP's own encoding, which is not literal", from.at);
    const found = base.namespace === XSD ? undefined : find("type", base, from);
    if (found?.node.element.name === "complexType") {
      const content = readContent(declarations, found, owner, depth);
      return childOf(from, XSD, "pattern", "enumeration", "maxLength") === undefined
        ? content
        : { ...content, fields: content.fields.map((one) => narrowed(one, from)) };
    }
    const simple = found === undefined ? builtIn(base.name) : readSimple(found, 0);
    const inline = childOf(from, XSD, "simpleType");
    const type = inline === undefined ? simple : readSimple({ node: inline, file }, 0);
    const leaf = simpleLeaf(from.element.name === "restriction" ? restricted(type, from) : type);
    return {
      fields: [
        {
          field: { name: "value", ...leaf.field, is: "text" },
          schema: leaf.schema,
          isRequired: true,
        },
      ],
      needsOneOf: [],
      losses: loosened(leaf.unchecked, from),
    };
  }
}

/** The text of an element whose type restricts that of another, with the values that are left. */
function narrowed(one: Content["fields"][number], restriction: XmlNode): Content["fields"][number] {
  if (one.field.is !== "text" || one.schema.type !== "string") return one;
  const { schema } = translatedSimple(
    restricted({ as: one.field.as ?? "text", unchecked: [] }, restriction),
  );
  return { ...one, schema: { ...one.schema, ...schema } };
}

function loosened(effects: readonly string[], { at }: XmlNode): readonly TypeLoss[] {
  return effects.map((effect) => ({ at, effect, request: "loosened", answer: "loosened" }));
}

const SOAP_ENCODING = "http://schemas.xmlsoap.org/soap/encoding";

function simpleLeaf(type: SimpleType): Leaf {
  const { as, isSpaced, schema, unchecked } = translatedSimple(type);
  return {
    schema,
    field: { ...(as === "text" ? {} : { as }), ...(isSpaced ? { spaced: true } : {}) },
    unchecked,
  };
}

/** Whether elements of a type have nothing inside, and nothing of them is lost. */
function isEmpty({ content }: TranslatedType): boolean {
  return (
    !(content instanceof ImportFault) &&
    content.type.fields.length === 0 &&
    content.losses.length === 0
  );
}

function contentOf(read: () => Content, declared: Declared | undefined): TypeContent | ImportFault {
  try {
    const { fields, losses, needsOneOf } = read();
    const description = declared && documentationOf(declared.node);
    // The namespace that most fields have is said once.
    const [namespace] = fields.flatMap(({ field }) =>
      field.is === undefined ? [field.namespace ?? ""] : [],
    );
    return {
      schema: schemaOf({ fields, needsOneOf }, description),
      losses,
      type: {
        ...(namespace === undefined || namespace === "" ? {} : { namespace }),
        fields: fields.map(({ field }) => {
          const { namespace: own, ...rest } = field;
          const usual = field.is === undefined ? (namespace ?? "") : "";
          return own === undefined || own === usual ? rest : { ...rest, namespace: own };
        }),
      },
    };
  } catch (error) {
    if (!(error instanceof ImportFault)) throw error;
    return error;
  }
}

function schemaOf(
  { fields, needsOneOf }: Pick<Content, "fields" | "needsOneOf">,
  description: string | undefined,
): JsonObject {
  const required = fields.filter(({ isRequired }) => isRequired).map(({ field }) => field.name);
  const [first] = needsOneOf;
  return {
    type: "object",
    ...(description === undefined ? {} : { description }),
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(fields.map(({ field, schema }) => [field.name, schema])),
    // An object without fields would be one with any.
    ...(fields.length === 0 ? { additionalProperties: false } : {}),
    ...(first === undefined ? {} : { anyOf: first.map((names) => ({ required: names })) }),
  };
}
