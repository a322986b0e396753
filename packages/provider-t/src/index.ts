export * from "./endpoints/index.ts";
export { providerT } from "./provider.ts";
