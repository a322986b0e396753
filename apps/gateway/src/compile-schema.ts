import type { Schema } from "@insurance-gateway/core/contract";
import { zod } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";

/** Compiles a schema to code. A schema that cannot be compiled is returned unchanged. */
export function compileSchema(schema: Schema<unknown>): Schema<unknown> {
  return z.compile(zod(schema));
}
