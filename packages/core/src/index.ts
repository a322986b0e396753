import { openGateway } from "./client/create-gateway.ts";
import type { Gateway, GatewayOptions } from "./client/index.ts";
import { nodeConnections } from "./client/node-connections.ts";

export type { TokenSource } from "./auth/token-source.ts";
export {
  type ArgumentsOf,
  type Call,
  type CallAttempt,
  type CallFailure,
  type CallOptions,
  type DayOfAvailability,
  type Download,
  type EachResult,
  type FurtherHeaders,
  type Gateway,
  type GatewayOptions,
  type KeyStore,
  type MaintenanceWindow,
  memoryKeyStore,
  type OptionsOf,
  type ProviderClient,
  type ProviderHistory,
  type ProviderState,
  type ProviderStatus,
  type ProviderStatusList,
  type ResponseHead,
  type ResultOf,
  type ResumedSubmission,
  type SearchCall,
  type StoredKey,
  type SubmissionOptions,
  type SubmissionResult,
  type SubmissionState,
  type SubmissionStatus,
  type SubmitInput,
  type WithResponse,
} from "./client/index.ts";
export type { Fault, FaultCode } from "./contract/faults.ts";
export type { FileContent, FilePart } from "./contract/files.ts";
export type { Page, PageQuery } from "./contract/page.ts";
export {
  ConfigurationError,
  ConnectionError,
  type Explanation,
  explain,
  GatewayError,
  type Outcome,
  OutcomeUnknownError,
  type Problem,
  ProblemError,
  type ProblemReconciliation,
  RequestInvalidError,
  type ResolveOptions,
  ResponseInvalidError,
  type RetryAdvice,
  TokenError,
} from "./errors/index.ts";
export type { TlsSettings } from "./transport/route-settings.ts";
export type {
  CancellationSignal,
  Transport,
  TransportRequest,
  TransportResponse,
} from "./transport/transport.ts";

/**
 * Creates a client of the Insurance Gateway. It sends nothing until the first call.
 * @throws ConfigurationError with every fault of the options
 */
export function createGateway(options: GatewayOptions): Gateway {
  return openGateway(options, nodeConnections);
}
