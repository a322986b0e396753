import { headerNameFault } from "@insurance-gateway/core/runtime";
import {
  appendToPointer,
  isObject,
  type JsonObject,
  type Located,
  membersOf,
  textOf,
} from "../document/references.ts";
import { ImportFault } from "../report.ts";
import type { Field } from "../schemas/model.ts";
import { fieldDescription } from "../schemas/read-object.ts";
import type { Place, SchemaReader } from "../schemas/read-schema.ts";
import type { QueryStyle } from "./model.ts";
import { limitsAreLost, textFormOf } from "./texts.ts";

/** The part of an endpoint's request that contains a parameter. */
export type Part = "params" | "query" | "headers";

/** A parameter of the document with its checked name and place. */
export interface Parameter {
  readonly in: "path" | "query" | "header" | "cookie";
  readonly name: string;
  readonly value: JsonObject;
  readonly pointer: string;
  readonly required: boolean;
}

/**
 * Reads the name and place of a parameter.
 * @throws ImportFault for a missing or unknown name or place
 */
export function parameterIn({ pointer, value }: Located): Parameter {
  const { in: location, name, required } = value;
  const isPlace =
    location === "path" || location === "query" || location === "header" || location === "cookie";
  if (typeof name !== "string" || name === "" || !isPlace)
    throw new ImportFault(
      "is not a parameter: it needs a name, and in: path, query, header or cookie",
      pointer,
    );
  return { in: location, name, value, pointer, required: location === "path" || required === true };
}

/** A parameter as a field of the endpoint. */
export interface DeclaredParameter {
  readonly part: Part;
  readonly field: Field;
  readonly style?: QueryStyle;
}

/**
 * Returns a parameter as a field of the request part that contains the parameter; for a parameter that cannot be
 * declared, reports the loss and returns null.
 */
export function declareParameter(
  reader: SchemaReader,
  parameter: Parameter,
  place: Place,
): DeclaredParameter | null {
  const { pointer, required, value } = parameter;
  const name = publicName(parameter);
  const leaveOut = (why: string): null => {
    if (required) throw new ImportFault(`cannot be declared: it ${why}`, pointer);
    const effect = `The parameter ${parameter.name} is left out: it ${why}.`;
    reader.report.add({ operation: place.operation, pointer, effect, severity: "lost" });
    return null;
  };
  if (name === null) return leaveOut("has a name that cannot be sent");
  if (parameter.in === "header") {
    // OpenAPI ignores header parameters with these three names, because other members of an operation describe these
    // headers.
    if (["accept", "content-type", "authorization"].includes(name)) return null;
    const fault = headerNameFault(name);
    if (fault !== null) return leaveOut(fault);
  }
  const [content] = membersOf(value.content);
  const schema = isObject(content?.[1]) ? content[1].schema : value.schema;
  const at =
    content === undefined
      ? appendToPointer(pointer, "schema")
      : appendToPointer(pointer, "content", content[0], "schema");
  const read = reader.read(schema ?? { type: "string" }, {
    ...place,
    pointer: at,
    title: `${place.title} ${parameter.name}`,
    side: "request",
  });
  const written = textFormOf(read, parameter, content?.[0]);
  if (typeof written === "string") return leaveOut(written);
  if (value.allowReserved === true)
    reader.report.add({
      operation: place.operation,
      pointer,
      effect: `Reserved characters of ${parameter.name} are percent-encoded.`,
      severity: "loosened",
    });
  if (limitsAreLost(read))
    reader.report.add({
      operation: place.operation,
      pointer: at,
      effect: `The limits of the numbers of ${parameter.name} are not checked, because it may also be another text.`,
      severity: "loosened",
    });
  return {
    part: parameter.in === "path" ? "params" : parameter.in === "query" ? "query" : "headers",
    field: {
      name,
      schema: written.node,
      required,
      description: fieldDescription(
        reader.document,
        {
          // The type of a parameter has no doc comment, so the parameter gets the texts of the schema.
          ...(isObject(schema) ? { ...reader.document.follow(schema, at).value, ...schema } : {}),
          ...described(value),
        },
        pointer,
      ),
    },
    ...(written.style === undefined ? {} : { style: written.style }),
  };
}

/** Returns the description and deprecation of a parameter, which the parameter's schema may lack. */
function described({ deprecated, description }: JsonObject): JsonObject {
  const text = textOf(description);
  return {
    ...(text === undefined ? {} : { description: text }),
    ...(deprecated === true ? { deprecated } : {}),
  };
}

/** Returns the public name of a parameter; null for a name that cannot be sent. */
function publicName({ in: location, name }: Parameter): string | null {
  const plain = name.replaceAll(/[^A-Za-z0-9_-]+/g, "-").replaceAll(/^[^A-Za-z]+/g, "");
  if (location === "path") return plain === "" ? null : plain;
  if (location === "header") return name.toLowerCase();
  if (location === "cookie") return plain === "" ? null : `cookie-${plain.toLowerCase()}`;
  if (/^[^[\]&=#+\s]+(\[\])?$/.test(name)) return name === "__proto__" ? null : name;
  // The public name of `page[number]` is `page-number`.
  return /^[A-Za-z][\w.-]*(\[[\w.-]+\])+$/.test(name) ? plain.replace(/-$/, "") : null;
}
