/** The configuration in a gateway's folder, and the answers of the gateways that run from it. */
export { type Configuration, type Environment, loadConfiguration } from "../configuration/load.ts";
export type { InstalledProvider } from "../configuration/providers.ts";
export { undeclaredProviders } from "../configuration/undeclared-providers.ts";
export type { Difference, UnmatchedAnswer } from "../events.ts";
export type { RecordedExample } from "../insurers/drift/recording.ts";
export { parseJson } from "../json.ts";
export type { Counted } from "../operator/observation/counted-answers.ts";
export { Refusal } from "../problems/refusal.ts";
export { type Declared, loadDeclared } from "./declared-providers.ts";
export { type GatewayAnswers, orderGateways } from "./running-gateways.ts";
