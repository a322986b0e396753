export * from "./endpoints/index.ts";
export { providerO } from "./provider.ts";
