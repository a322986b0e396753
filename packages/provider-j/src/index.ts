export * from "./endpoints/index.ts";
export { providerJ } from "./provider.ts";
