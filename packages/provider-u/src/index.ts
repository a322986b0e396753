export * from "./endpoints/index.ts";
export { providerU } from "./provider.ts";
