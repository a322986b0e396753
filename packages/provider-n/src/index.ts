export * from "./endpoints/index.ts";
export { providerN } from "./provider.ts";
