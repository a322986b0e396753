import type { Schema } from "@insurance-gateway/core/contract";
import { zod } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";

/** Compiles a schema to code. Returns a schema that cannot be compiled unchanged. */
export function compileSchema(schema: Schema<unknown>): Schema<unknown> {
  return z.compile(zod(schema));
}
