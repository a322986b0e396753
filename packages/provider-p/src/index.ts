export * from "./endpoints/index.ts";
export { providerP } from "./provider.ts";
