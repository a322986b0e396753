export {
  type DeclaredCall,
  type DialectAnswer,
  type ExpiringTokens,
  expiringTokens,
  jsonAnswer,
  jsonBody,
  mappedAnswer,
  type QueriedPaging,
  queriedPage,
  type RawAnswer,
  type RawRequest,
  rawInputOf,
  rawRequestOf,
  type SandboxCredential,
  type SandboxDialect,
  type SandboxRoute,
} from "./dialect.ts";
export type { Ipid, IpidManufacturer } from "./ipid.ts";
export { jsonRoutes } from "./json-routes.ts";
export { type OAuth2Server, oauth2Server } from "./oauth2-server.ts";
export { publishedInsurer } from "./published.ts";
export type { Clock, InsurerProblem, SandboxRecord } from "./records.ts";
export type { Refuse, RefusedAnswer } from "./rows.ts";
export {
  type AnySandbox,
  type AnySandboxHandler,
  defineSandbox,
  type RecordedScenario,
  type Sandbox,
  type SandboxAnswer,
  type SandboxContent,
  type SandboxFile,
  type SandboxHandler,
  type SandboxHandlers,
  type SandboxRequest,
  type SandboxScenario,
  type ScenarioProblem,
} from "./sandbox.ts";
export { type SimulationOptions, simulated } from "./simulation.ts";
