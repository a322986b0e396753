export type { ResponseHead } from "./answer.ts";
export type { Call, WithResponse } from "./call.ts";
export type { Download } from "./download.ts";
export {
  type ArgumentsOf,
  createGateway,
  type Gateway,
  type OptionsOf,
  type ProviderClient,
  type ResultOf,
} from "./gateway.ts";
export type { CallOptions, FurtherHeaders, GatewayOptions, SubmissionOptions } from "./options.ts";
export type {
  DayOfAvailability,
  MaintenanceWindow,
  ProviderHistory,
  ProviderState,
  ProviderStatus,
  ProviderStatusList,
} from "./provider-status.ts";
export type { SearchCall } from "./search.ts";
export type { SubmissionState, SubmissionStatus } from "./submission-status.ts";
