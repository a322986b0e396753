export * from "./endpoints/index.ts";
export { providerI } from "./provider.ts";
