import { exitCodeOf } from "../exit-codes.ts";
import { OutputError } from "../output/print.ts";
import type { FailedCall, ToldFailure } from "./failed-call.ts";
import { failureRows } from "./failure-rows.ts";
import type { UnshownAnswerError } from "./unshown-answer.ts";

/**
 * Tells that a call was answered, and that its answer could not be written.
 * @returns null where there is nothing to tell: whoever read the answer has read enough, and nothing hangs on it
 */
export function unshownFailure(
  error: UnshownAnswerError,
  { again }: Pick<FailedCall, "again">,
): ToldFailure | null {
  const { answered, cause, message } = error;
  const { acted, idempotencyKey, insurerId, requestId, submissionId } = answered;
  if (!acted && cause instanceof OutputError && cause.readerGone) return null;
  const cancelled = !acted && isAbort(cause);
  const words = reasonOf(cause);
  const text = failureRows(cancelled ? "CANCELLED" : message, [
    ["what happened", [words]],
    ["the insurer", acted ? ["carried it out (executed)"] : []],
    ["its identifier", [insurerId ?? ""]],
    ["key", [idempotencyKey ?? ""]],
    [
      "what to do",
      acted && again !== null && idempotencyKey !== null
        ? ["send it again with the same key, which gets its answer:", `  ${again(idempotencyKey)}`]
        : ["run it again"],
    ],
    ["request id", [requestId ?? ""]],
  ]);
  return {
    exitCode: exitCodeOf[cancelled ? "unknown" : "executed"],
    text,
    facts: {
      code: cancelled ? "CANCELLED" : "ANSWER_NOT_WRITTEN",
      outcome: cancelled ? "unknown" : "executed",
      retry: acted ? "same_key" : "safe",
      message: `${message}: ${words}`,
      errors: [],
      idempotencyKey,
      submissionId,
      requestId,
      insurerId,
    },
  };
}

/** Only what the system says of a file or a stream is told: another error may repeat what the answer holds. */
function reasonOf(cause: unknown): string {
  if (cause instanceof OutputError) return cause.message;
  if (cause instanceof Error && "syscall" in cause) return cause.message;
  if (isAbort(cause)) return "The call was cancelled while its answer was written.";
  return "it cannot be shown; --output json may show it";
}

function isAbort(cause: unknown): boolean {
  return cause instanceof Error && cause.name === "AbortError";
}
