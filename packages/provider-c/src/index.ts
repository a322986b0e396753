export * from "./endpoints/index.ts";
export { providerC } from "./provider.ts";
export type * from "./schemas/ipid-request.ts";
export type * from "./schemas/vehicle-usage.ts";
export type * from "./schemas/vehicle-usage-list.ts";
