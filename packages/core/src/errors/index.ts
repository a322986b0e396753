export { ConfigurationError } from "./configuration-error.ts";
export {
  ConnectionError,
  ProblemError,
  RequestInvalidError,
  ResponseInvalidError,
  TokenError,
} from "./errors.ts";
export { type Explanation, explain } from "./explain.ts";
export { type ErrorFacts, GatewayError } from "./gateway-error.ts";
export {
  type OutcomeFacts,
  OutcomeUnknownError,
  type ResolveOptions,
} from "./outcome-unknown-error.ts";
export type { Outcome, Problem, ProblemReconciliation, RetryAdvice } from "./problem.ts";
