export { nameProvider, type ProviderNames, Refusal } from "./naming.ts";
export { type Files, readTemplate, renderTemplate } from "./template.ts";
