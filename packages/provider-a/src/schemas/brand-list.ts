import type { Schema } from "@insurance-gateway/core/contract";
import { list, loose, zod } from "@insurance-gateway/core/schema";
import { type Brand, brand } from "./brand.ts";

/** The vehicle brands the insurer covers. Source: `docs/decisions.md`, "Answers". */
export interface BrandList {
  /**
   * All brands, sorted by name.
   * @el Μάρκες οχημάτων
   */
  items: Brand[];
}

export const brandList: Schema<BrandList> = loose<BrandList>({ items: list(zod(brand)) });
