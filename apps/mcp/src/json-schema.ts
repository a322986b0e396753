import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod/mini";

/** A JSON Schema, as far as it is read here. */
interface Written {
  description?: string;
  properties?: Record<string, Written>;
  items?: Written;
}

/**
 * Writes a schema of arguments as JSON Schema (2020-12, which is the protocol's dialect).
 * @param fields - what is said of its fields, by place, unless they say it themselves
 */
export function jsonSchemaOf(
  schema: z.ZodMiniType<Readonly<Record<string, unknown>>>,
  fields: ReadonlyMap<string, string>,
): Tool["inputSchema"] {
  const { $schema: _, ...written } = z.toJSONSchema(schema, {
    io: "input",
    override: ({ jsonSchema }) => {
      // The format says the same in a word.
      if (jsonSchema.format === "date" || jsonSchema.format === "date-time")
        delete jsonSchema.pattern;
      // What other tools read, such as rules across fields, is no JSON Schema.
      for (const name of Object.keys(jsonSchema))
        if (name.startsWith("x-")) delete jsonSchema[name];
    },
  });
  // It is written from an object's schema, so it has the type and the properties of an object.
  return described(written as Written, fields, "") as Tool["inputSchema"];
}

function described(schema: Written, fields: ReadonlyMap<string, string>, place: string): Written {
  const description = schema.description ?? fields.get(place);
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
              described(part, fields, `${place}/${name}`),
            ]),
          ),
        }),
    ...(items === undefined ? {} : { items: described(items, fields, `${place}/-`) }),
  };
}
