import { type Lookup, lookup } from "@insurance-gateway/core/contract";
import { type CountryList, countryList } from "../schemas/country-list.ts";

/**
 * Lists the countries for travel insurance, by English name. Source: specification, endpoint 2.
 * @el Κατάλογος χωρών ταξιδιωτικής ασφάλισης
 */
export const listCountries: Lookup<{ response: CountryList }> = lookup({
  provider: "provider-b",
  path: "/countries",
  freshFor: 604_800,
  response: { 200: countryList },
});
