import { ImportFault } from "../report.ts";
import { REPEATED_ELEMENT } from "../schemas/read-object.ts";
import {
  alternativeFields,
  combineGroups,
  elementIdentityOf,
  type PartContent,
} from "./alternatives.ts";
import { attributesOf } from "./attributes.ts";
import {
  addTypeLoss,
  type Content,
  type Declarations,
  MAX_TYPE_LEVELS,
  type Reading,
  type TypeField,
} from "./content-model.ts";
import type { Declared } from "./declared.ts";
import type { SchemaFile } from "./load.ts";
import { attributeOf, childOf, childrenOf, qnameIn, type XmlNode, XSD } from "./nodes.ts";

/**
 * Maximum number of parts that are read in one type. More parts are hostile: groups of groups can double at each level.
 */
const MAX_STEPS = 20_000;

/** The repetitions and alternatives around a part of a type. */
interface ParticleContext {
  readonly file: SchemaFile;
  /** The minimum and the maximum number of repetitions of the part in the type. */
  readonly least: number;
  readonly most: number;
  readonly depth: number;
}

/**
 * Reads the content of elements with a complex type: its fields in the order of the schema.
 * @param owner - the name of the type
 * @throws ImportFault for a type that cannot be declared
 */
export function readContent(
  declarations: Declarations,
  { file, node }: Declared,
  owner: string,
  depth = 0,
): Content {
  if (depth > MAX_TYPE_LEVELS) throw new ImportFault("is a type that is made of itself", node.at);
  const reading: Reading = { declarations, owner, losses: [], steps: 0 };
  const derived = childOf(node, XSD, "complexContent", "simpleContent");
  if (
    attributeOf(node, "mixed") === "true" ||
    (derived && attributeOf(derived, "mixed") === "true")
  )
    addTypeLoss(
      reading,
      node,
      "Texts between the elements are not read and cannot be sent.",
      "lost",
    );
  const how = derived === undefined ? undefined : childOf(derived, XSD, "extension", "restriction");
  if (derived === undefined || how === undefined)
    return withUniqueFields(reading, node, ownFields(reading, node, file));
  const base = qnameIn(how, "base", file.namespace);
  if (base === undefined) throw new ImportFault("has no base", how.at);
  const inherited = declarations.inherited({ base, from: how, file, owner, depth: depth + 1 });
  const own = ownFields(reading, how, file);
  const isNarrowed =
    how.element.name === "restriction" && derived.element.name === "complexContent";
  // A restriction contains all elements of the restricted type again, but inherits the attributes.
  const kept = isNarrowed
    ? inherited.fields.filter(({ field }) => field.is === "attribute")
    : inherited.fields;
  const all = withUniqueFields(reading, node, {
    fields: [...kept.filter(({ field }) => !own.prohibited.has(field.name)), ...own.fields],
    needsOneOf: [...(isNarrowed ? [] : inherited.needsOneOf), ...own.needsOneOf],
  });
  return { ...all, losses: [...inherited.losses, ...all.losses] };
}

function ownFields(
  reading: Reading,
  node: XmlNode,
  file: SchemaFile,
): PartContent & { readonly prohibited: ReadonlySet<string> } {
  const around: ParticleContext = { file, least: 1, most: 1, depth: 0 };
  const particles = childrenOf(node, XSD, "sequence", "all", "choice", "group").map((particle) =>
    particleOf(reading, particle, around),
  );
  const attributes = attributesOf(reading, node, file, 0);
  return {
    fields: [...particles.flatMap(({ fields }) => fields), ...attributes.fields],
    needsOneOf: particles.flatMap(({ needsOneOf }) => needsOneOf),
    prohibited: attributes.prohibited,
  };
}

/** Gives each field a unique name. An element that appears in several places of the schema becomes one field. */
function withUniqueFields(
  reading: Reading,
  node: XmlNode,
  { fields, needsOneOf }: PartContent,
): Content {
  const byName = new Map<string, TypeField>();
  for (const one of fields) {
    const known = byName.get(one.field.name);
    if (known === undefined) byName.set(one.field.name, one);
    else if (elementIdentityOf(known.field) === elementIdentityOf(one.field)) {
      if (one.field.is === undefined)
        addTypeLoss(
          reading,
          node,
          `The element ${one.field.name} appears in more than one place: it becomes one field, at the first place.`,
          "lost",
          "lost",
        );
      byName.set(one.field.name, { ...known, isRequired: known.isRequired && one.isRequired });
    } else {
      const kind = one.field.is === "attribute" ? "Attribute" : "Other";
      const name = `${one.field.name}${kind}`;
      if (byName.has(name))
        throw new ImportFault(`has more than two fields with the name ${one.field.name}`);
      byName.set(name, {
        ...one,
        field: { ...one.field, name, xmlName: one.field.xmlName ?? one.field.name },
      });
    }
  }
  const needed = combineGroups(reading, node, needsOneOf);
  return { fields: [...byName.values()], needsOneOf: needed, losses: reading.losses };
}

function particleOf(reading: Reading, particle: XmlNode, around: ParticleContext): PartContent {
  reading.steps += 1;
  if (reading.steps > MAX_STEPS || around.depth > MAX_TYPE_LEVELS)
    throw new ImportFault("is made of too many parts, or of itself", particle.at);
  const { least, most } = occurrences(particle);
  if (most === 0) return { fields: [], needsOneOf: [] };
  const inside: ParticleContext = {
    ...around,
    least: around.least * least,
    most: around.most * most,
    depth: around.depth + 1,
  };
  switch (particle.element.name) {
    case "element":
      return { fields: elementField(reading, particle, inside), needsOneOf: [] };
    case "group": {
      const name = qnameIn(particle, "ref", around.file.namespace);
      if (name === undefined) throw new ImportFault("has no ref", particle.at);
      const { file, node } = reading.declarations.find("group", name, particle);
      const parts = childrenOf(node, XSD, "sequence", "all", "choice");
      return joined(parts.map((part) => particleOf(reading, part, { ...inside, file })));
    }
    case "any":
      addTypeLoss(
        reading,
        particle,
        "Any other element is allowed here: answers contain it unchanged, and requests cannot contain it.",
        "lost",
      );
      return { fields: [], needsOneOf: [] };
    case "choice":
      return choiceOf(reading, particle, inside);
    default: {
      const parts = partsOf(particle);
      const all = joined(parts.map((part) => particleOf(reading, part, inside)));
      if (most > 1 && all.fields.length > 1)
        addTypeLoss(
          reading,
          particle,
          "Elements that are repeated together become separate lists: which items belong together is lost.",
          "lost",
          "lost",
        );
      return all;
    }
  }
}

function partsOf(particle: XmlNode): readonly XmlNode[] {
  return childrenOf(particle, XSD, "element", "sequence", "all", "choice", "group", "any");
}

function joined(parts: readonly PartContent[]): PartContent {
  return {
    fields: parts.flatMap(({ fields }) => fields),
    needsOneOf: parts.flatMap(({ needsOneOf }) => needsOneOf),
  };
}

/** Reads a choice: the alternatives become optional fields, of which one is required. */
function choiceOf(reading: Reading, choice: XmlNode, around: ParticleContext): PartContent {
  const once: ParticleContext = { ...around, least: Math.min(1, around.least) };
  const alternatives = partsOf(choice).map((part) => particleOf(reading, part, once));
  const fields = alternativeFields(reading, choice, alternatives);
  if (around.most > 1 && fields.length > 1)
    addTypeLoss(
      reading,
      choice,
      "The order of repeated alternatives is lost: each alternative becomes a separate list.",
      "lost",
      "loosened",
    );
  else if (fields.length > 1)
    addTypeLoss(
      reading,
      choice,
      "The package does not check that only one of the alternatives is present.",
      "loosened",
      null,
    );
  const needed = alternatives.map((one) =>
    one.fields.filter(({ isRequired }) => isRequired).map(({ field }) => field.name),
  );
  if (alternatives.some(({ needsOneOf }) => needsOneOf.length > 0))
    addTypeLoss(
      reading,
      choice,
      "The requirements of choices inside a choice are not checked.",
      "loosened",
    );
  // If an alternative may be empty, the whole choice may be empty.
  const isNeeded =
    around.least > 0 && needed.length > 0 && needed.every((names) => names.length > 0);
  return { fields, needsOneOf: isNeeded ? [needed] : [] };
}

interface Occurrences {
  readonly least: number;
  readonly most: number;
}

function occurrences(node: XmlNode): Occurrences {
  const [least, most] = ["minOccurs", "maxOccurs"].map((name) => attributeOf(node, name) ?? "1");
  return {
    least: Number(least) || 0,
    most: most === "unbounded" ? Number.POSITIVE_INFINITY : Number(most) || 0,
  };
}

function elementField(
  reading: Reading,
  node: XmlNode,
  around: ParticleContext,
): readonly TypeField[] {
  const { least, most } = around;
  const { declarations, owner } = reading;
  const reference = qnameIn(node, "ref", around.file.namespace);
  const declared: Declared =
    reference === undefined
      ? { node, file: around.file }
      : declarations.find("element", reference, node);
  const name = attributeOf(declared.node, "name") ?? "";
  if (reference !== undefined && declarations.hasSubstitutes(reference))
    addTypeLoss(
      reading,
      node,
      `Elements that may replace ${name} (substitutionGroup) are passed on unchanged in answers, and cannot be sent.`,
      "lost",
    );
  if (attributeOf(declared.node, "abstract") === "true") return [];
  const form = attributeOf(node, "form");
  const isQualified =
    reference !== undefined ||
    (form === undefined ? around.file.isQualified : form === "qualified");
  const namespace = isQualified ? declared.file.namespace : "";
  const leaf = declarations.leafOf(declared, `${owner}.${name}`, reference);
  for (const effect of leaf.unchecked) addTypeLoss(reading, node, effect, "loosened");
  if (leaf.field.as === "anything")
    addTypeLoss(
      reading,
      node,
      "The WSDL does not say what the element contains, so a request can send only a text in it.",
      "lost",
      null,
    );
  const isList = most > 1;
  if (isList && leaf.field.spaced === true) throw new ImportFault("is a list of lists", node.at);
  const isNillable = attributeOf(declared.node, "nillable") === "true";
  const item = isNillable ? { ...leaf.schema, nullable: true } : leaf.schema;
  const { description, ...itemSchema } = item;
  const schema = isList
    ? {
        type: "array",
        items: itemSchema,
        [REPEATED_ELEMENT]: true,
        ...(description === undefined ? {} : { description }),
        ...(least > 0 ? { minItems: least } : {}),
        ...(Number.isFinite(most) ? { maxItems: most } : {}),
      }
    : item;
  return [
    {
      field: { name, ...leaf.field, namespace, ...(isList ? { repeats: true } : {}) },
      schema,
      isRequired: least > 0,
    },
  ];
}
