export type { TokenSource } from "./auth/token-source.ts";
export {
  type ArgumentsOf,
  type Call,
  type CallOptions,
  createGateway,
  type DayOfAvailability,
  type Download,
  type FurtherHeaders,
  type Gateway,
  type GatewayOptions,
  type MaintenanceWindow,
  type OptionsOf,
  type ProviderClient,
  type ProviderHistory,
  type ProviderState,
  type ProviderStatus,
  type ProviderStatusList,
  type ResponseHead,
  type ResultOf,
  type SearchCall,
  type SubmissionOptions,
  type SubmissionState,
  type SubmissionStatus,
  type WithResponse,
} from "./client/index.ts";
export type { Fault, FaultCode } from "./contract/faults.ts";
export type { FileContent, FilePart } from "./contract/file-part.ts";
export type { Page, PageQuery } from "./contract/page.ts";
export {
  ConfigurationError,
  ConnectionError,
  GatewayError,
  type Outcome,
  OutcomeUnknownError,
  type Problem,
  ProblemError,
  type ProblemReconciliation,
  RequestInvalidError,
  ResponseInvalidError,
  type RetryAdvice,
  TokenError,
} from "./errors/index.ts";
export type {
  CancellationSignal,
  Transport,
  TransportRequest,
  TransportResponse,
} from "./transport/index.ts";
