export * from "./binding.ts";
export * from "./creation-times.ts";
export * from "./credentials-outcome.ts";
export * from "./declared-body.ts";
export * from "./declared-failures.ts";
export * from "./declared-headers.ts";
export * from "./found-answer.ts";
export * from "./insurer-outcome.ts";
export * from "./one-page-pdf.ts";
export * from "./open-answers.ts";
export * from "./outcome-unknown.ts";
export * from "./page-headers.ts";
export * from "./problem-body.ts";
export * from "./proxy-status.ts";
export * from "./query-times.ts";
export * from "./refusal.ts";
export {
  attemptResults,
  ENCODED_ANSWER,
  refusalOfFailure,
  refusalOfOwnFault,
} from "./request-failure.ts";
export * from "./request-refusals.ts";
export { retryAfterIn } from "./retry-after-header.ts";
export * from "./scenario.ts";
export * from "./stored-answer.ts";
export * from "./submission-headers.ts";
export * from "./submission-refusals.ts";
export * from "./submission-standing.ts";
export * from "./verdict.ts";
