export * from "./endpoints/index.ts";
export { providerB } from "./provider.ts";
export type * from "./schemas/country.ts";
export type * from "./schemas/country-list.ts";
