export * from "./endpoints/index.ts";
export { providerA } from "./provider.ts";
export type * from "./schemas/brand.ts";
export type * from "./schemas/brand-list.ts";
