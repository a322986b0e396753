export * from "./endpoints/index.ts";
export { providerF } from "./provider.ts";
