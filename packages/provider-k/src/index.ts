export * from "./endpoints/index.ts";
export { providerK } from "./provider.ts";
