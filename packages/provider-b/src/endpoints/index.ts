export { listCountries } from "./list-countries.ts";
