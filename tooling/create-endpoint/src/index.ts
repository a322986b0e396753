export type { MatchedExchange } from "./exchange.ts";
export { filesOf } from "./files.ts";
export { type Operation, operationOf } from "./operation.ts";
