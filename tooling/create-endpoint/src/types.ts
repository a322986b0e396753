import { pascalCase } from "./operation.ts";
import type { Shape } from "./shape.ts";

/** The declarations of a schema file, and the imports that they need. */
export interface Declarations {
  /** The declared types, each with interface and schema, in the order of their dependencies. */
  readonly blocks: string[];
  readonly imports: Set<string>;
}

/** The direction of a value. Requests have only declared fields. */
export type Direction = "request" | "answer";

interface Place {
  /** The name of the type, if it needs one. */
  readonly name: string;
  /** The text of the type's doc comment. */
  readonly comment: string;
  readonly direction: Direction;
  /** True for a value in a path or query, whose text cannot be blank. */
  readonly isParameter?: true;
}

/** A type as TypeScript and as a schema of zod/mini. */
interface WrittenType {
  readonly type: string;
  readonly schema: string;
}

/** Declares an interface and a schema for a structure, both named after the place. */
export function declareType(declarations: Declarations, shape: Shape, place: Place): void {
  const { name } = place;
  if (shape.fields !== undefined && Object.keys(shape).length === 1) {
    declareObject(declarations, shape.fields, place);
    return;
  }
  const { schema, type } = written(declarations, shape, { ...place, name: `${name}Item` });
  declarations.imports.add("zodSchema");
  declarations.blocks.push(`/** ${place.comment} */
export type ${name} = ${type};

export const ${constantOf(name)}: Schema<${name}> = zodSchema<${name}>(${schema});
`);
}

/** Returns the name of a type's schema: `ModelList` → `modelList`. */
export function constantOf(typeName: string): string {
  return typeName.slice(0, 1).toLowerCase() + typeName.slice(1);
}

function declareObject(
  declarations: Declarations,
  fields: NonNullable<Shape["fields"]>,
  place: Place,
): void {
  const { comment, direction, name } = place;
  const make = direction === "request" ? "strict" : "loose";
  declarations.imports.add(make);
  const members = [...fields].map(([key, { isOptional, shape }]) => {
    const property = /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
    const own = {
      ...place,
      name: `${name}${pascalCase(key)}`,
      comment: `\`${key.replaceAll(/[^\p{L}\p{N} _.-]/gu, "")}\` of a \`${name}\`.`,
    };
    const { schema, type } = written(declarations, shape, own);
    return isOptional
      ? [`${property}?: ${type};`, `${property}: z.exactOptional(${schema}),`]
      : [`${property}: ${type};`, `${property}: ${schema},`];
  });
  declarations.blocks.push(`/** ${comment} */
export interface ${name} {
${members.map(([property]) => `  ${property}`).join("\n")}
}

export const ${constantOf(name)}: Schema<${name}> = ${make}<${name}>({
${members.map(([, schema]) => `  ${schema}`).join("\n")}
});
`);
}

function written(declarations: Declarations, shape: Shape, place: Place): WrittenType {
  const alternatives = alternativesOf(declarations, shape, place);
  const [only, ...others] = alternatives;
  // If all examples are null, any value is allowed.
  if (only === undefined) return { type: "unknown", schema: "z.unknown()" };
  if (others.length > 0) declarations.imports.add("anyOf");
  const either =
    others.length === 0
      ? only
      : {
          type: alternatives.map(({ type }) => type).join(" | "),
          schema: `anyOf(${alternatives.map(({ schema }) => schema).join(", ")})`,
        };
  if (shape.isNullable !== true) return either;
  return { type: `${either.type} | null`, schema: `z.nullable(${either.schema})` };
}

function alternativesOf(
  declarations: Declarations,
  { fields, isBoolean, items, number, text }: Shape,
  place: Place,
): readonly WrittenType[] {
  const found: WrittenType[] = [];
  if (text !== undefined)
    found.push({ type: "string", schema: textSchema(declarations, text, place) });
  if (number !== undefined)
    found.push({ type: "number", schema: number === "whole" ? "z.int()" : "z.number()" });
  if (isBoolean === true) found.push({ type: "boolean", schema: "z.boolean()" });
  if (items !== undefined) declarations.imports.add("list");
  if (items === null) found.push({ type: "unknown[]", schema: "list(z.unknown())" });
  else if (items !== undefined) {
    const item = written(declarations, items, { ...place, name: singular(place.name) });
    const type = /[ |]/.test(item.type) ? `(${item.type})[]` : `${item.type}[]`;
    found.push({ type, schema: `list(${item.schema})` });
  }
  if (fields !== undefined) {
    declareObject(declarations, fields, place);
    declarations.imports.add("zod");
    found.push({ type: place.name, schema: `zod(${constantOf(place.name)})` });
  }
  return found;
}

function textSchema(
  { imports }: Declarations,
  text: NonNullable<Shape["text"]>,
  { isParameter }: Place,
): string {
  const own = { day: "date", instant: "instant", any: isParameter === true ? "text" : undefined };
  const name = own[text];
  if (name === undefined) return "z.string()";
  imports.add(name);
  return `${name}()`;
}

/** Returns the singular: `ModelListItems` → `ModelListItem`. A name that is not a plural gets the ending `Item`. */
function singular(name: string): string {
  if (name.endsWith("ies")) return name.replace(/ies$/, "y");
  return /[^s]s$/.test(name) ? name.slice(0, -1) : `${name.replace(/Item$/, "")}Item`;
}
