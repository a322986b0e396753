import type { Schema } from "@insurance-gateway/core/contract";
import { list, loose, zod } from "@insurance-gateway/core/schema";
import { type Country, country } from "./country.ts";

/** The countries of travel insurance. Source: `docs/decisions.md`, "Answers". */
export interface CountryList {
  /**
   * All countries, sorted by English name.
   * @el Χώρες
   */
  items: Country[];
}

export const countryList: Schema<CountryList> = loose<CountryList>({
  items: list(zod(country)),
});
