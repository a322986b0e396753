import {
  type Checked,
  check,
  type Endpoint,
  type Fault,
  type Schema,
} from "@insurance-gateway/core/contract";
import { type BodyMedia, bodyMediaOf, bodyOf, kindPolicies } from "@insurance-gateway/core/runtime";
import { zod } from "@insurance-gateway/core/schema";
import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod/mini";

/** Who confirms submissions: a person through the client, the model with a code in a second tool call, or nobody. */
export type ConfirmedBy = "person" | "code" | "nobody";

/** The unchecked arguments of a tool call. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** The input of a call for the gateway's client. */
export interface CallParts {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly headers?: object;
  readonly body?: unknown;
}

/** The arguments of a tool call after their validation. */
export interface CheckedArguments {
  readonly parts: CallParts;
  /** The idempotency key; empty if the tool is not a submission. */
  readonly idempotencyKey: string;
  readonly confirmation: string | null;
}

const PARTS = ["params", "query", "headers", "body"] as const;

/** Matches the keys that the gateway's client accepts: printable ASCII without space, quotation mark and backslash. */
const KEY = /^[!#-[\]-~]{1,255}$/;

const idempotencyKey = z.string().check(
  z.regex(KEY, {
    error:
      "must be 1 to 255 characters of printable ASCII without space, quotation mark and backslash",
  }),
  z.meta({
    description:
      "Identifies this submission. Create a UUID once and use it for every retry: the same key never takes effect twice. No personal data.",
  }),
);

const confirmation = z.exactOptional(
  z.string().check(
    z.meta({
      description:
        "Omit it in the first call, which sends nothing and returns a code. Send that code only after a person has agreed to what would be sent.",
    }),
  ),
);

/**
 * Returns the schema of a tool's arguments: the endpoint's input, and for a submission the key and the confirmation.
 */
export function argumentsSchema(
  endpoint: Endpoint,
  confirmedBy: ConfirmedBy,
): z.ZodMiniType<ToolArguments, ToolArguments> {
  const acts = kindPolicies[endpoint.kind].actsAtInsurer;
  return z.strictObject({
    ...Object.fromEntries(
      partsOf(endpoint).map(({ isOptional, name, schema }) => [
        name,
        isOptional ? z.exactOptional(zod(schema)) : zod(schema),
      ]),
    ),
    ...(acts ? { idempotencyKey } : {}),
    ...(acts && confirmedBy === "code" ? { confirmation } : {}),
  });
}

/**
 * Validates the arguments of a call and returns all faults. A fault has the same JSON Pointer as in a gateway's
 * problem: `/holder/afm` for a field of the body, `/query/clientAfm` and `/path/applicationId` for parameters.
 */
export function checkArguments(
  endpoint: Endpoint,
  confirmedBy: ConfirmedBy,
  args: ToolArguments,
): Checked<CheckedArguments> {
  // An empty object replaces a missing part, so that the faults name each required field of the part.
  const empty = Object.fromEntries(
    partsOf(endpoint)
      .filter(({ isOptional, schema }) => !isOptional && isObject(schema))
      .map(({ name }) => [name, {}]),
  );
  const checked = check(argumentsSchema(endpoint, confirmedBy), { ...empty, ...args });
  if (!checked.valid) return { valid: false, faults: checked.faults.map(withProblemPointer) };
  const { confirmation: code = null, idempotencyKey: key = "", ...parts } = checked.value;
  // The schema guarantees that the key and the confirmation are strings.
  return {
    valid: true,
    value: {
      parts,
      idempotencyKey: key as string,
      confirmation: code as string | null,
    },
  };
}

/** A part of an endpoint's input. */
interface InputPart {
  readonly name: (typeof PARTS)[number];
  readonly schema: Schema<unknown>;
  readonly isOptional: boolean;
}

function partsOf(endpoint: Endpoint): readonly InputPart[] {
  return PARTS.flatMap((name) => {
    const schema = name === "body" ? bodyWithoutFile(endpoint)?.schema : endpoint[name];
    if (schema === undefined) return [];
    const canBeOmitted = name === "body" && bodyOf(endpoint)?.required === false;
    return [{ name, schema, isOptional: canBeOmitted || check(schema, {}).valid }];
  });
}

/** Returns the media type of a body that a model can write, which means a body without the bytes of a file. */
function bodyWithoutFile(endpoint: Endpoint): BodyMedia | undefined {
  return bodyMediaOf(endpoint, ["json", "form", "text"]);
}

/** Reports whether every call of an endpoint needs a file. */
export function needsFile(endpoint: Endpoint): boolean {
  return bodyOf(endpoint)?.required === true && bodyWithoutFile(endpoint) === undefined;
}

function isObject(schema: Schema<unknown>): boolean {
  return z.toJSONSchema(zod(schema), { unrepresentable: "any" }).type === "object";
}

function withProblemPointer(fault: Fault): Fault {
  const pointer = fault.pointer
    .replace(/^\/params(?=\/|$)/, "/path")
    .replace(/^\/body(?=\/|$)/, "");
  return { ...fault, pointer };
}

/** A JSON Schema with the members that adding descriptions reads or writes. */
interface DescribedSchema {
  description?: string;
  properties?: Record<string, DescribedSchema>;
  items?: DescribedSchema;
}

/**
 * Converts a schema of arguments to JSON Schema 2020-12, the dialect of the protocol.
 * @param descriptions - descriptions of fields by JSON Pointer; a description in the schema overrides them
 */
export function jsonSchemaOf(
  schema: z.ZodMiniType<Readonly<Record<string, unknown>>>,
  descriptions: ReadonlyMap<string, string>,
): Tool["inputSchema"] {
  const { $schema: _, ...converted } = z.toJSONSchema(schema, {
    io: "input",
    override: ({ jsonSchema }) => {
      // The keyword `format` already limits the text, so no pattern is needed.
      if (jsonSchema.format === "date" || jsonSchema.format === "date-time")
        delete jsonSchema.pattern;
      // Extensions, such as rules across fields, are not part of JSON Schema.
      for (const name of Object.keys(jsonSchema))
        if (name.startsWith("x-")) delete jsonSchema[name];
    },
  });
  // The argument is the schema of an object, so the result has the type and the properties of an object.
  return withDescriptions(converted as DescribedSchema, descriptions, "") as Tool["inputSchema"];
}

function withDescriptions(
  schema: DescribedSchema,
  descriptions: ReadonlyMap<string, string>,
  pointer: string,
): DescribedSchema {
  const description = schema.description ?? descriptions.get(pointer);
  const { items, properties } = schema;
  return {
    ...(description === undefined ? {} : { description }),
    ...schema,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, part]) => [
              name,
              withDescriptions(part, descriptions, `${pointer}/${name}`),
            ]),
          ),
        }),
    ...(items === undefined
      ? {}
      : { items: withDescriptions(items, descriptions, `${pointer}/-`) }),
  };
}
