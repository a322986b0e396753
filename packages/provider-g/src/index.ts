export * from "./endpoints/index.ts";
export { providerG } from "./provider.ts";
