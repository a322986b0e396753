export * from "./endpoints/index.ts";
export { providerM } from "./provider.ts";
