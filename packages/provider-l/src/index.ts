export * from "./endpoints/index.ts";
export { providerL } from "./provider.ts";
