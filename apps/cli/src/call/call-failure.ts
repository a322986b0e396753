import {
  explain,
  type Fault,
  GatewayError,
  OutcomeUnknownError,
  ProblemError,
  RequestInvalidError,
  ResponseInvalidError,
  type RetryAdvice,
} from "@insurance-gateway/core";
import { EXIT_USAGE, exitCodeByOutcome } from "../exit-codes.ts";
import { OutputError } from "../output/print.ts";
import {
  type AdviceByCode,
  type FailureReport,
  failureFactsOf,
  failureText,
  shortMessageOf,
  unexpectedFacts,
  unexpectedFailure,
  unexpectedMessage,
} from "./failure.ts";
import type { CallFlag } from "./flags.ts";

/** The facts about a failed call that are not in the error of the call. */
export interface FailedCall {
  readonly flags: readonly CallFlag[];
  /** Returns the command that repeats the call with an idempotency key; null if the call is not a submission. */
  readonly again: ((idempotencyKey: string) => string) | null;
  /** Returns the command that queries the same gateway for the state of a submission. */
  readonly ask: (submissionId: string) => string;
}

/** The facts about a call that the gateway has answered. */
export interface AnsweredCall {
  /** True if the call may have changed something at the insurer. */
  readonly acted: boolean;
  /** The idempotency key of a submission; null for other kinds of calls. */
  readonly idempotencyKey: string | null;
  readonly submissionId: string | null;
  /** The insurer's identifier, if the answer has it. */
  readonly insurerId: string | null;
  readonly requestId: string | null;
}

/** The error for an answer of the gateway that could not be written. The error's `cause` is the reason. */
export class AnswerNotWrittenError extends Error {
  readonly answered: AnsweredCall;

  constructor(answered: AnsweredCall, cause: unknown) {
    super(
      answered.acted
        ? "the insurer acted, but the answer could not be written"
        : "the answer could not be written",
      {
        cause,
      },
    );
    this.answered = answered;
  }
}

/**
 * Creates the report of a failed call.
 * @returns null if the failure needs no report
 */
export function reportFailure(
  error: unknown,
  call: FailedCall,
  hints: AdviceByCode,
): FailureReport | null {
  if (error instanceof AnswerNotWrittenError) return answerNotWritten(error, call);
  if (RequestInvalidError.isInstance(error)) return invalidFailure(error, call);
  if (GatewayError.isInstance(error)) return callFailure(error, call, hints);
  return call.again === null ? unexpectedFailure(error) : unexpectedSubmissionFailure(error);
}

/** Reports the faults of an invalid request by flag, and the result of an earlier submission with the same key. */
function invalidFailure(error: RequestInvalidError, { ask, flags }: FailedCall): FailureReport {
  const { outcome, submissionId } = error;
  const lines = faultLines(error.errors, flags).map((line) => `  ${line}`);
  const ended = outcome === "executed" ? "carried out" : "refused";
  const earlier =
    submissionId === null
      ? []
      : [`an earlier submission with this key was ${ended}:`, `  ${ask(submissionId)}`];
  return {
    exitCode: submissionId === null ? EXIT_USAGE : exitCodeByOutcome[outcome],
    text: ["nothing was sent:", ...lines, ...earlier].join("\n"),
    facts: failureFactsOf(error),
  };
}

/** Reports the cause, whether the insurer acted, and the next step, without any value of the request. */
function callFailure(error: GatewayError, call: FailedCall, hints: AdviceByCode): FailureReport {
  const { insurer, title } = explain(error);
  const text = failureText(title, [
    ["what happened", [shortMessageOf(error)]],
    ["at fault", faultLinesOfError(error, call.flags)],
    ["the insurer", [`${insurer} (${error.outcome})`]],
    ["its identifier", ProblemError.isInstance(error) ? [error.insurerId ?? ""] : []],
    ["key", OutcomeUnknownError.isInstance(error) ? [error.idempotencyKey] : []],
    ["what to do", adviceLines(error, call, hints)],
    ["request id", [error.requestId ?? ""]],
  ]);
  return { exitCode: exitCodeByOutcome[error.outcome], text, facts: failureFactsOf(error) };
}

function faultLinesOfError(error: GatewayError, flags: readonly CallFlag[]): readonly string[] {
  const isUnknown = OutcomeUnknownError.isInstance(error);
  if (isUnknown && error.mayBeSent) return [];
  const { faults } = explain(error);
  // The faults of an invalid answer are in the gateway's answer, so no flag belongs to these faults.
  return ResponseInvalidError.isInstance(isUnknown ? error.cause : error)
    ? faults.map(({ message, pointer }) => `${pointer || "the answer"} ${message}`)
    : faultLines(faults, flags);
}

function adviceLines(
  error: GatewayError,
  { again, ask }: FailedCall,
  hints: AdviceByCode,
): readonly string[] {
  const { code, outcome } = error;
  const { submissionId: named, waitSeconds } = explain(error);
  const when = waitSeconds === null ? "" : ` after ${waitSeconds} s`;
  if (OutcomeUnknownError.isInstance(error)) {
    const { idempotencyKey, mayBeSent, retry, submissionId } = error;
    return [
      ...(mayBeSent || hints[code] === undefined ? [] : [`${hints[code]};`]),
      ...(submissionId === null
        ? []
        : ["query the state of the submission:", `  ${ask(submissionId)}`]),
      `${submissionId === null ? "" : "or "}${retry === "after_check" ? "find out the cause, then " : ""}send it again${when} with the same key, which never takes effect twice:`,
      `  ${again?.(idempotencyKey) ?? ""}`,
    ];
  }
  const advice = outcome === "executed" ? adviceTexts.executed : adviceTexts[error.retry];
  // A hint explains why nothing was sent, so no hint applies after a lost answer.
  const hint = outcome === "not_sent" ? hints[code] : undefined;
  // The error contains the id of the caller's other submission that blocks the failed submission.
  const other = error.retry === "after_check" ? named : null;
  if (other !== null) return ["query the state of the other submission:", `  ${ask(other)}`];
  return [hint ?? `${advice}${error.retry === "safe" ? when : ""}`];
}

const adviceTexts: Readonly<Record<RetryAdvice | "executed", string>> = {
  safe: "run the command again",
  same_key: "run the command again with the same --idempotency-key",
  after_check: "check first whether the insurer has the submission",
  never: "correct the request; the same request would fail again",
  executed: "do not send it again; the insurer has carried it out",
};

/**
 * Reports an answer that could not be written.
 * @returns null if the call changed nothing and the reader of standard output has stopped reading
 */
function answerNotWritten(
  error: AnswerNotWrittenError,
  { again }: Pick<FailedCall, "again">,
): FailureReport | null {
  const { answered, cause, message } = error;
  const { acted, idempotencyKey, insurerId, requestId, submissionId } = answered;
  if (!acted && cause instanceof OutputError && cause.readerGone) return null;
  const cancelled = !acted && isAbort(cause);
  const reason = writeFaultOf(cause);
  const text = failureText(cancelled ? "CANCELLED" : message, [
    ["what happened", [reason]],
    ["the insurer", acted ? ["carried it out (executed)"] : []],
    ["its identifier", [insurerId ?? ""]],
    ["key", [idempotencyKey ?? ""]],
    [
      "what to do",
      acted && again !== null && idempotencyKey !== null
        ? ["send it again with the same key to get the answer:", `  ${again(idempotencyKey)}`]
        : ["run the command again"],
    ],
    ["request id", [requestId ?? ""]],
  ]);
  const outcome = cancelled ? "unknown" : "executed";
  return {
    exitCode: exitCodeByOutcome[outcome],
    text,
    facts: {
      code: cancelled ? "CANCELLED" : "ANSWER_NOT_WRITTEN",
      outcome,
      retry: acted ? "same_key" : "safe",
      message: `${message}: ${reason}`,
      errors: [],
      idempotencyKey,
      submissionId,
      requestId,
      insurerId,
    },
  };
}

/**
 * Returns why an answer could not be written. Quotes only system errors, because other messages may contain the answer.
 */
function writeFaultOf(cause: unknown): string {
  if (cause instanceof OutputError) return cause.message;
  if (cause instanceof Error && "syscall" in cause) return cause.message;
  if (isAbort(cause)) return "The call was cancelled while its answer was written.";
  return "the answer cannot be shown as a table; try --output json";
}

function isAbort(cause: unknown): boolean {
  return cause instanceof Error && cause.name === "AbortError";
}

/** Reports an unexpected error of a submission that may have reached the insurer. */
function unexpectedSubmissionFailure(error: unknown): FailureReport {
  const message = unexpectedMessage(error);
  return {
    exitCode: exitCodeByOutcome.unknown,
    text: failureText("unexpected", [
      ["what happened", [message]],
      ["the insurer", ["may have acted (unknown)"]],
      ["what to do", ["check first whether the insurer has the submission"]],
    ]),
    facts: unexpectedFacts(message, "after_check"),
  };
}

/** The flags that every call has, each with a pattern for the JSON Pointers of the flag's faults. */
const commonFlags: readonly (readonly [pointer: RegExp, flag: string])[] = [
  [/^\/idempotencyKey$/, "--idempotency-key"],
  [/^\/headers\//, "--scenario"],
];

/** Describes each fault in one line with the flag of the faulty value. */
export function faultLines(
  faults: readonly Fault[],
  flags: readonly CallFlag[],
): readonly string[] {
  return [...new Set(faults.flatMap((fault) => linesOfFault(fault, flags)))];
}

function linesOfFault(
  { code, message, pointer }: Fault,
  flags: readonly CallFlag[],
): readonly string[] {
  const [exact] = flags.filter((flag) => flag.pointer === pointer);
  if (exact !== undefined) return [`${exact.name} ${message}`];
  // A missing object has no flag. The report instead contains the flags of the object's required values.
  const below = flags.filter((flag) => flag.required && flag.pointer.startsWith(`${pointer}/`));
  if (code === "REQUIRED" && below.length > 0) return below.map(({ name }) => `${name} ${message}`);
  const [around] = flags.filter((flag) => pointer.startsWith(`${flag.pointer}/`));
  const common = commonFlags.find(([pattern]) => pattern.test(pointer));
  const flag = around?.name ?? common?.[1];
  if (flag !== undefined)
    return [`${flag} ${around === undefined ? "" : `(${pointer}) `}${message}`];
  const [inQuery, place = ""] = /^\/query(\/.*)?$/s.exec(pointer) ?? [];
  const [whole, within] = inQuery === undefined ? ["--body", pointer] : ["--query", place];
  return [`${whole} ${within === "" ? "" : `(${within}) `}${message}`];
}
