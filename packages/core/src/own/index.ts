/** The gateway's own endpoints, declared like a provider's, so that clients, routes and documents follow from them. */
export { gatewayItself } from "./gateway-itself.ts";
export {
  listProviders,
  type ProviderHistory,
  type ProviderStatus,
  type ProviderStatusList,
  readProviderStatus,
} from "./provider-status.ts";
export { type ListedScenario, listScenarios, type ScenarioList } from "./scenarios.ts";
export { findSubmission, readSubmission, type SubmissionStatus } from "./submission-status.ts";
