export * from "./endpoints/index.ts";
export { providerW } from "./provider.ts";
