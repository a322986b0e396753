export { nameProvider, type ProviderNames, Refusal } from "./naming.ts";
export { type Files, firstEndpointFiles, newPackage } from "./template.ts";
