import {
  GatewayError,
  type Outcome,
  OutcomeUnknownError,
  ProblemError,
  RequestInvalidError,
  ResponseInvalidError,
  type RetryAdvice,
} from "@insurance-gateway/core";
import { EXIT_USAGE, exitCodeOf } from "../exit-codes.ts";
import type { FailedCall, Hints, ToldFailure } from "./failed-call.ts";
import { failureRows } from "./failure-rows.ts";
import { factsOf, titleOf, wordsOf } from "./failure-words.ts";
import { faultLines } from "./faults.ts";
import type { CallFlag } from "./flags.ts";
import { unexpectedFailure } from "./unexpected-failure.ts";
import { UnshownAnswerError } from "./unshown-answer.ts";
import { unshownFailure } from "./unshown-failure.ts";

/**
 * Tells what became of a call that ended with an error, whatever it is.
 * @returns null where there is nothing to tell
 */
export function whatFailed(error: unknown, call: FailedCall, hints: Hints): ToldFailure | null {
  if (error instanceof UnshownAnswerError) return unshownFailure(error, call);
  if (RequestInvalidError.isInstance(error)) return invalidFailure(error, call);
  if (GatewayError.isInstance(error)) return callFailure(error, call, hints);
  return unexpectedFailure(error, call);
}

/** Says every fault by its flag. */
function invalidFailure(error: RequestInvalidError, { flags }: FailedCall): ToldFailure {
  const lines = faultLines(error.errors, flags).map((line) => `  ${line}`);
  return {
    exitCode: EXIT_USAGE,
    text: ["nothing was sent:", ...lines].join("\n"),
    facts: factsOf(error),
  };
}

/** Tells what happened, whether the insurer acted and what to do next. No value that was sent is in it. */
function callFailure(error: GatewayError, call: FailedCall, hints: Hints): ToldFailure {
  const text = failureRows(titleOf(error), [
    ["what happened", [wordsOf(error)]],
    ["at fault", faultsOf(error, call.flags)],
    ["the insurer", [insurerWords(error)]],
    ["its identifier", ProblemError.isInstance(error) ? [error.insurerId ?? ""] : []],
    ["key", OutcomeUnknownError.isInstance(error) ? [error.idempotencyKey] : []],
    ["what to do", adviceOf(error, call, hints)],
    ["request id", [error.requestId ?? ""]],
  ]);
  return { exitCode: exitCodeOf[error.outcome], text, facts: factsOf(error) };
}

function faultsOf(error: GatewayError, flags: readonly CallFlag[]): readonly string[] {
  if (ProblemError.isInstance(error) || RequestInvalidError.isInstance(error))
    return faultLines(error.errors, flags);
  // These are the answer's, which has no flags.
  return ResponseInvalidError.isInstance(error)
    ? error.errors.map(({ message, pointer }) => `${pointer || "the answer"} ${message}`)
    : [];
}

function insurerWords(error: GatewayError): string {
  const acts = OutcomeUnknownError.isInstance(error) || error.outcome !== "unknown";
  return acts
    ? `${outcomes[error.outcome]} (${error.outcome})`
    : `may have been asked; the call changes nothing there (${error.outcome})`;
}

const outcomes: Readonly<Record<Outcome, string>> = {
  not_sent: "got nothing",
  rejected: "refused it",
  unknown: "may have acted",
  executed: "acted, and its answer cannot be used",
};

function adviceOf(
  error: GatewayError,
  { again, ask }: FailedCall,
  hints: Hints,
): readonly string[] {
  const { code, outcome } = error;
  const seconds = "retryAfterSeconds" in error ? error.retryAfterSeconds : null;
  const when = typeof seconds === "number" ? ` after ${seconds} s` : "";
  if (OutcomeUnknownError.isInstance(error)) {
    const { idempotencyKey, retry, submissionId } = error;
    return [
      ...(submissionId === null
        ? []
        : ["ask the gateway what became of it:", `  ${ask(submissionId)}`]),
      `${submissionId === null ? "" : "or "}${retry === "after_check" ? "find out why, then " : ""}send it again${when} with the same key, which never acts twice:`,
      `  ${again?.(idempotencyKey) ?? ""}`,
    ];
  }
  const advice = outcome === "executed" ? advices.executed : advices[error.retry];
  // An answer that was lost is another matter than a gateway that cannot be reached.
  const hint = outcome === "not_sent" ? hints[code] : undefined;
  // A request that another submission of the caller stands in the way of.
  const other = error.retry === "after_check" ? submissionOf(error) : null;
  if (other !== null) return ["ask the gateway what became of that submission:", `  ${ask(other)}`];
  return [hint ?? `${advice}${error.retry === "safe" ? when : ""}`];
}

/** The id of the submission that a problem names; null where it names none. */
function submissionOf(error: GatewayError): string | null {
  const href = ProblemError.isInstance(error) ? error.reconciliation?.href : undefined;
  return /\/submissions\/([A-Za-z0-9._~-]+)$/.exec(href ?? "")?.[1] ?? null;
}

const advices: Readonly<Record<RetryAdvice | "executed", string>> = {
  safe: "run it again",
  same_key: "run it again with the same --idempotency-key",
  after_check: "find out first whether the insurer has it",
  never: "correct it; the same request would fail again",
  executed: "never send it again; the insurer knows it by its identifier",
};
