import { ImportFault } from "../report.ts";
import { declarationFinder, extendedTypes, substitutionHeads } from "./declared.ts";
import { inherited } from "./inherited.ts";
import { leafOf, leafOfType, loosened, type TypeSource } from "./leaves.ts";
import type { LoadedWsdl } from "./load.ts";
import { keyOf, type QName, type XmlNode } from "./nodes.ts";
import { isEmpty, type TranslatedType, translatedTypes } from "./translated-types.ts";

/** A part of an rpc message. */
export interface RpcPart {
  readonly name: string;
  readonly type: QName;
  readonly node: XmlNode;
}

/** Reads the types of a document when an operation needs them. */
export interface TypeReader {
  /**
   * Returns the type of a global element; undefined for an empty element.
   * @throws ImportFault for an element that cannot be declared
   */
  ofElement(name: QName, from: XmlNode, owner: string): TranslatedType | undefined;
  /** Returns a type whose fields are elements without a namespace (rpc/literal). */
  ofParts(parts: readonly RpcPart[], owner: string): TranslatedType;
  /** Returns a type with all nested types. */
  reachedFrom(type: TranslatedType): readonly TranslatedType[];
}

/** Creates the reader of a document's types. */
export function typeReader({
  schemas,
  unread,
}: Pick<LoadedWsdl, "schemas" | "unread">): TypeReader {
  const substituted = substitutionHeads(schemas);
  const source: TypeSource = {
    types: translatedTypes(),
    extended: extendedTypes(schemas),
    declarations: {
      find: declarationFinder(schemas, unread),
      leafOf: (declared, owner, global) => leafOf(source, declared, owner, global),
      inherited: (derivation) => inherited(source.declarations, derivation),
      hasSubstitutes: (name) => substituted.has(keyOf(name)),
    },
  };
  return {
    ofElement: (name, from, owner) => typeOfElement(source, name, from, owner),
    ofParts: (parts, owner) => typeOfParts(source, parts, owner),
    reachedFrom: (type) => source.types.reachedFrom(type),
  };
}

function typeOfElement(
  source: TypeSource,
  name: QName,
  from: XmlNode,
  owner: string,
): TranslatedType | undefined {
  const { declarations, types } = source;
  const element = declarations.find("element", name, from);
  const { field, schema, unchecked } = leafOf(source, element, owner);
  types.readWaiting();
  const found = types.ofField(field);
  if (found !== undefined) return isEmpty(found) ? undefined : found;
  if (field.as === "anything") throw new ImportFault("may hold anything", element.node.at);
  return types.add(owner, () => ({
    fields: [{ field: { ...field, name: "value", is: "text" }, schema, isRequired: true }],
    needsOneOf: [],
    losses: loosened(unchecked, element.node),
  }));
}

function typeOfParts(source: TypeSource, parts: readonly RpcPart[], owner: string): TranslatedType {
  const type = source.types.add(owner, () => {
    const leaves = parts.map((part) => ({ part, leaf: leafOfType(source, part.type, part.node) }));
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
  source.types.readWaiting();
  return type;
}
