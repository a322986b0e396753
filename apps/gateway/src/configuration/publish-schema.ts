import { writeFileSync } from "node:fs";
import * as z from "zod";
import { configurationSchema } from "./schema.ts";

/** Writes the JSON Schema of the configuration into the built package, for editors. */
writeFileSync(
  new URL("../configuration.schema.json", import.meta.url),
  `${JSON.stringify(z.toJSONSchema(configurationSchema, { io: "input" }), null, 2)}\n`,
);
