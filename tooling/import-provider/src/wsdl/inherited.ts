import { ImportFault } from "../report.ts";
import { readContent } from "./content.ts";
import type { Content, Declarations, Derivation } from "./content-model.ts";
import { loosened, readSimple, SOAP_ENCODING, simpleLeaf } from "./leaves.ts";
import { childOf, type XmlNode, XSD } from "./nodes.ts";
import { translatedSimple } from "./simple-type-schema.ts";
import { builtIn, restrictType } from "./simple-types.ts";

/** Returns the content that a type inherits from the type that it extends or restricts. */
export function inherited(
  declarations: Declarations,
  { base, depth, file, from, owner }: Derivation,
): Content {
  if (base.namespace === XSD && base.name === "anyType")
    return { fields: [], needsOneOf: [], losses: [] };
  if (base.namespace.startsWith(SOAP_ENCODING))
    throw new ImportFault("is an array of SOAP's own encoding, which is not literal", from.at);
  const found = base.namespace === XSD ? undefined : declarations.find("type", base, from);
  if (found?.node.element.name === "complexType") {
    const content = readContent(declarations, found, owner, depth);
    return childOf(from, XSD, "pattern", "enumeration", "maxLength") === undefined
      ? content
      : { ...content, fields: content.fields.map((one) => narrowed(one, from)) };
  }
  const simple = found === undefined ? builtIn(base.name) : readSimple(declarations, found, 0);
  const inline = childOf(from, XSD, "simpleType");
  const type = inline === undefined ? simple : readSimple(declarations, { node: inline, file }, 0);
  const leaf = simpleLeaf(from.element.name === "restriction" ? restrictType(type, from) : type);
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

/** Returns the field for the text of an element, limited to the values that the restriction of its type allows. */
function narrowed(one: Content["fields"][number], restriction: XmlNode): Content["fields"][number] {
  if (one.field.is !== "text" || one.schema.type !== "string") return one;
  const { schema } = translatedSimple(
    restrictType({ as: one.field.as ?? "text", unchecked: [] }, restriction),
  );
  return { ...one, schema: { ...one.schema, ...schema } };
}
