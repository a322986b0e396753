import { type Lookup, lookup } from "@insurance-gateway/core/contract";
import { type BrandList, brandList } from "../schemas/brand-list.ts";

/**
 * Lists the vehicle brands, by name. Source: specification, endpoint 1.
 * @el Κατάλογος μαρκών αυτοκινήτων
 */
export const listBrands: Lookup<{ response: BrandList }> = lookup({
  provider: "provider-a",
  path: "/auto/brands",
  freshFor: 86_400,
  response: { 200: brandList },
});
