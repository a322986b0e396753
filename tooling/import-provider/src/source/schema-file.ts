import type { Names } from "../names/assign-names.ts";
import { groupsOf } from "../schemas/groups.ts";
import {
  type Definition,
  definitionsIn,
  type Field,
  type ObjectNode,
  type SchemaNode,
} from "../schemas/model.ts";
import { docComment } from "./comment.ts";
import { importList } from "./imports.ts";
import {
  array,
  call,
  exportedConstant,
  getter,
  type Layout,
  object,
  print,
  propertyName,
  scalar,
} from "./layout.ts";
import { builderOf, type SourceFile, typeOf } from "./schema-source.ts";

const CONTRACT = "@insurance-gateway/core/contract";
const SCHEMA = "@insurance-gateway/core/schema";

/** Writes a file of `src/schemas`: each definition as an interface or type, with the constant that validates it. */
export function schemaFile(file: string, definitions: readonly Definition[], names: Names): string {
  const source: SourceFile = {
    file,
    names,
    imports: importList(),
    constants: new Map(),
    known: new Map(),
    used: new Set([...names.values()].map(({ value }) => value)),
    later: new Set(),
  };
  source.imports.add(CONTRACT, "Schema", true);
  const groups = groupsIn(definitions);
  for (const one of definitions) source.later.add(one);
  const texts = groups.flatMap((group) =>
    inOrder(group).map((definition) => {
      const text = definitionText(definition, source, circleOf(definition, group));
      source.later.delete(definition);
      return text;
    }),
  );
  return source.imports.print() + texts.join("\n");
}

/**
 * Groups definitions that contain each other. A group comes before the groups that use it; otherwise the reading order
 * remains.
 */
function groupsIn(definitions: readonly Definition[]): readonly (readonly Definition[])[] {
  const own = new Set(definitions);
  return groupsOf(definitions, ({ node }) => definitionsIn(node).filter((one) => own.has(one)));
}

/** Orders the definitions of a group. Objects can use later definitions. */
function inOrder(group: readonly Definition[]): readonly Definition[] {
  return [
    ...group.filter(({ node }) => node.type === "object"),
    ...group.filter(({ node }) => node.type !== "object"),
  ];
}

/** Returns the definitions that contain each other, which must be in one file. */
function circleOf(definition: Definition, group: readonly Definition[]): ReadonlySet<Definition> {
  const isAlone = group.length === 1 && !definitionsIn(definition.node).includes(definition);
  return new Set(isAlone ? [] : group);
}

function definitionText(
  definition: Definition,
  source: SourceFile,
  circle: ReadonlySet<Definition>,
): string {
  const { description, node, side, title } = definition;
  const found = source.names.get(definition);
  if (found === undefined) throw new TypeError(`${title} has no name`);
  const { type, value } = found;
  source.constants.clear();
  const words = node.type === "object" ? "" : type;
  const declared =
    node.type === "object" && node.fields.length === 0
      ? `export type ${type} = Record<string, ${node.others === "closed" ? "never" : "unknown"}>;\n`
      : node.type === "object"
        ? `export interface ${type} {\n${node.fields.map((field) => fieldText(field, source)).join("")}${othersText(node, side)}}\n`
        : `export type ${type} = ${typeOf(node, source, words)};\n`;
  const made =
    node.type === "object"
      ? objectSchema(node, type, source, side, circle)
      : call(source.imports.add(SCHEMA, "zodSchema"), builderOf(node, source, side, words));
  const schema = exportedConstant(value, "Schema", type, made);
  const constants = [...source.constants].map(([one, name]) => constantText(one, name));
  return [docComment(description, 0) + declared, ...constants, schema].join("\n");
}

/** Returns the index signature if callers may send undeclared fields. Types of answers have no index signature. */
function othersText({ others }: ObjectNode, side: Definition["side"]): string {
  return side === "request" && others === "open" ? "  [name: string]: unknown;\n" : "";
}

function fieldText(field: Field, source: SourceFile): string {
  const { description, name, required, schema } = field;
  const type = typeOf(schema, source, name);
  const line = `  ${propertyName(name)}${required ? "" : "?"}: ${type};\n`;
  return docComment(description, 2) + line;
}

function constantText(node: SchemaNode, name: string): string {
  const values = node.type === "enum" ? node.values : [];
  const head = `const ${name} = `;
  return `${head}${print(array(values.map(scalar)), 0, head.length + " as const;".length)} as const;\n`;
}

function objectSchema(
  node: ObjectNode,
  type: string,
  source: SourceFile,
  side: Definition["side"],
  circle: ReadonlySet<Definition>,
): Layout {
  const shape = shapeLayout(node, source, side, circle);
  // The package does not check rules across fields in answers.
  const rules = side === "answer" ? [] : node.needsOneOf.map(ruleLayout);
  if (typeof node.others !== "string") {
    const others = builderOf(node.others, source, side, "other");
    return call(`${source.imports.add(SCHEMA, "objectWith")}<${type}>`, shape, others, ...rules);
  }
  if (node.others === "open" && side === "request") {
    const others = builderOf({ type: "anything" }, source, side, "other");
    return call(`${source.imports.add(SCHEMA, "objectWith")}<${type}>`, shape, others, ...rules);
  }
  if (node.others === "open") return call(`${source.imports.add(SCHEMA, "loose")}<${type}>`, shape);
  return call(`${source.imports.add(SCHEMA, "strict")}<${type}>`, shape, ...rules);
}

function shapeLayout(
  node: ObjectNode,
  source: SourceFile,
  side: Definition["side"],
  circle: ReadonlySet<Definition>,
): Layout {
  const isCircular = (one: SchemaNode): boolean =>
    definitionsIn(one).some((inner) => circle.has(inner));
  const members = node.fields.map(({ name, required, schema }): readonly [string, Layout] => {
    const isLazy = isCircular(schema);
    const later = isLazy ? [...source.later] : [];
    // A getter runs only after all constants of the file are defined.
    for (const one of later) source.later.delete(one);
    const built = builderOf(schema, source, side, name);
    for (const one of later) source.later.add(one);
    const whole = required ? built : optional(built, source);
    return isLazy ? ["", getter(name, whole)] : [propertyName(name), whole];
  });
  return object(members, true);
}

function optional(value: Layout, source: SourceFile): Layout {
  source.imports.add("zod/mini", "z");
  return call("z.exactOptional", value);
}

/** Returns the rule that requires at least one of several groups of fields. */
function ruleLayout(groups: readonly (readonly string[])[]): Layout {
  const has = (group: readonly string[]): string => {
    const tests = group.map((name) => `${scalar(name)} in value`).join(" && ");
    return group.length > 1 && groups.length > 1 ? `(${tests})` : tests;
  };
  const words = groups.map((group) => group.join(" and ")).join(", or ");
  return object(
    [
      ["path", "[]"],
      ["code", scalar("REQUIRED")],
      ["message", scalar(`must have ${words}`)],
      ["holds", `(value) => ${groups.map(has).join(" || ")}`],
    ],
    true,
  );
}
