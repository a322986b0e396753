export * from "./endpoints/index.ts";
export { providerQ } from "./provider.ts";
