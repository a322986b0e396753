export * from "./endpoints/index.ts";
export { providerS } from "./provider.ts";
