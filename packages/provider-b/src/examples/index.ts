export { listCountriesExamples as listCountries } from "./list-countries.ts";
