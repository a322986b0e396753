export * from "./endpoints/index.ts";
export { providerD } from "./provider.ts";
export type * from "./schemas/application.ts";
export type * from "./schemas/application-search.ts";
export type * from "./schemas/holder.ts";
export type * from "./schemas/motor-application.ts";
export type * from "./schemas/policy-period.ts";
export type * from "./schemas/vehicle.ts";
