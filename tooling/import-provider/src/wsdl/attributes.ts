import { ImportFault } from "../report.ts";
import { addTypeLoss, MAX_TYPE_LEVELS, type Reading, type TypeField } from "./content-model.ts";
import type { SchemaFile } from "./load.ts";
import { attributeOf, childrenOf, qnameIn, type XmlNode, XSD } from "./nodes.ts";

/** The attributes of a type. */
export interface Attributes {
  readonly fields: readonly TypeField[];
  readonly prohibited: ReadonlySet<string>;
}

/**
 * Reads the attributes of a type and of its attribute groups.
 * @throws ImportFault for attributes that cannot be declared
 */
export function attributesOf(
  reading: Reading,
  node: XmlNode,
  file: SchemaFile,
  depth: number,
): Attributes {
  if (depth > MAX_TYPE_LEVELS)
    throw new ImportFault("is an attribute group that contains itself", node.at);
  const fields: TypeField[] = [];
  const prohibited = new Set<string>();
  for (const one of childrenOf(node, XSD, "attribute", "attributeGroup", "anyAttribute")) {
    if (one.element.name === "anyAttribute") {
      addTypeLoss(reading, one, "Other attributes are not read and cannot be sent.", "loosened");
      continue;
    }
    const reference = qnameIn(one, "ref", file.namespace);
    if (one.element.name === "attributeGroup") {
      if (reference === undefined) throw new ImportFault("has no ref", one.at);
      const group = reading.declarations.find("attributeGroup", reference, one);
      const inner = attributesOf(reading, group.node, group.file, depth + 1);
      fields.push(...inner.fields);
      continue;
    }
    if (reference?.namespace === "http://www.w3.org/XML/1998/namespace") {
      const field = {
        name: reference.name,
        namespace: reference.namespace,
        is: "attribute",
        as: "token",
      } as const;
      fields.push({
        field,
        schema: { type: "string" },
        isRequired: attributeOf(one, "use") === "required",
      });
      continue;
    }
    const declared =
      reference === undefined
        ? { node: one, file }
        : reading.declarations.find("attribute", reference, one);
    const name = attributeOf(declared.node, "name") ?? "";
    if (attributeOf(one, "use") === "prohibited") {
      prohibited.add(name);
      continue;
    }
    const form = attributeOf(one, "form");
    const isQualified =
      reference !== undefined ||
      (form === undefined ? file.hasQualifiedAttributes : form === "qualified");
    const leaf = reading.declarations.leafOf(declared, `${reading.owner}.${name}`);
    for (const effect of leaf.unchecked) addTypeLoss(reading, one, effect, "loosened");
    fields.push({
      field: {
        name,
        ...leaf.field,
        is: "attribute",
        ...(isQualified ? { namespace: declared.file.namespace } : {}),
      },
      schema: leaf.schema,
      isRequired: attributeOf(one, "use") === "required",
    });
  }
  return { fields, prohibited };
}
