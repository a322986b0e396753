export * from "./endpoints/index.ts";
export { providerR } from "./provider.ts";
