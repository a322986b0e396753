export * from "./endpoints/index.ts";
export { providerE } from "./provider.ts";
export type * from "./schemas/pension-quote.ts";
export type * from "./schemas/pension-quote-request.ts";
