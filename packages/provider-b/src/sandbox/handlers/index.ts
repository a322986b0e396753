export { listCountriesHandler as listCountries } from "./list-countries.ts";
