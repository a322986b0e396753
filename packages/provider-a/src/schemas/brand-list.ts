import type { Schema } from "@insurance-gateway/core/contract";
import { loose, zod } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
import { type Brand, brand } from "./brand.ts";

/** The vehicle brands the insurer covers. Source: `docs/decisions.md`, "Answers". */
export interface BrandList {
  /** All of them, by name. */
  items: Brand[];
}

export const brandList: Schema<BrandList> = loose<BrandList>({ items: z.array(zod(brand)) });
