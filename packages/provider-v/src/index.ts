export * from "./endpoints/index.ts";
export { providerV } from "./provider.ts";
