export type { SubmissionResult } from "../errors/outcome-unknown-error.ts";
export type {
  DayOfAvailability,
  MaintenanceWindow,
  ProviderHistory,
  ProviderState,
  ProviderStatus,
  ProviderStatusList,
} from "../own/provider-status.ts";
export type { SubmissionState, SubmissionStatus } from "../own/submission-status.ts";
export type { ResponseHead } from "./answer.ts";
export type { Call, WithResponse } from "./call.ts";
export type { Download } from "./download.ts";
export type { CallLimits, Calls, EachOptions, EachResult } from "./each.ts";
export type {
  ArgumentsOf,
  Gateway,
  OptionsOf,
  ProviderClient,
  ResultOf,
  SubmitInput,
} from "./gateway.ts";
export type { CallAttempt, CallFailure } from "./hooks.ts";
export { type KeyStore, memoryKeyStore, type StoredKey } from "./key-store.ts";
export type { CallOptions, FurtherHeaders, GatewayOptions, SubmissionOptions } from "./options.ts";
export type { SearchCall } from "./search.ts";
export type { ResumedSubmission } from "./submission-queries.ts";
