export * from "./endpoints/index.ts";
export { providerH } from "./provider.ts";
