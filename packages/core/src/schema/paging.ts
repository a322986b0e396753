import * as z from "zod/mini";
import type { Page } from "../contract/page.ts";
import type { Schema } from "../contract/schema.ts";
import { list } from "./composites.ts";
import { loose, zod } from "./object.ts";

/** Creates the schemas of the parameters `start` and `limit`, to spread into the shape of a search's query. */
export function pageQuery(): {
  start: z.ZodMiniExactOptional<z.ZodMiniType<number>>;
  limit: z.ZodMiniExactOptional<z.ZodMiniType<number>>;
} {
  return {
    start: z.exactOptional(z.int().check(z.minimum(1))),
    limit: z.exactOptional(z.int().check(z.minimum(1), z.maximum(100))),
  };
}

/** Creates the schema of a page of items. */
export function page<Item>(item: Schema<Item>): Schema<Page<Item>> {
  return loose<Page<Item>>({
    items: list(zod(item)),
    start: z.int().check(z.minimum(1)),
    limit: z.int().check(z.minimum(1)),
    total: z.nullable(z.int().check(z.minimum(0))),
  });
}
