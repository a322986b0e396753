import * as z from "zod/mini";
import { loose, type Schema, zod } from "./schema.ts";

/** The query parameters that every search has beside its own. */
export interface PageQuery {
  /** The 1-based position of the first item of the page; 1 when left out. */
  start?: number;
  /** The most items the page may have, 1 to 100; 20 when left out. */
  limit?: number;
}

/** One page of a search, newest item first. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The 1-based position of the first item of this page. */
  readonly start: number;
  /** The most items this page could have had. */
  readonly limit: number;
  /** How many items there are in all, or null when the insurer does not tell. */
  readonly total: number | null;
}

/** What a search means when `start` or `limit` is left out; the gateway sends these, so that every insurer means the same. */
export const pageDefaults: Required<PageQuery> = { start: 1, limit: 20 };

/** The parameters `start` and `limit`, to spread into the shape of a search's query. */
export function pageQuery(): {
  start: z.ZodMiniExactOptional<z.ZodMiniType<number>>;
  limit: z.ZodMiniExactOptional<z.ZodMiniType<number>>;
} {
  return {
    start: z.exactOptional(z.int().check(z.minimum(1))),
    limit: z.exactOptional(z.int().check(z.minimum(1), z.maximum(100))),
  };
}

/** The schema of a page of items. */
export function page<Item>(item: Schema<Item>): Schema<Page<Item>> {
  return loose<Page<Item>>({
    items: z.array(zod(item)),
    start: z.int().check(z.minimum(1)),
    limit: z.int().check(z.minimum(1)),
    total: z.nullable(z.int().check(z.minimum(0))),
  });
}
