import { EXIT_FAILED, exitCodeOf } from "../exit-codes.ts";
import { OutputError } from "../output/print.ts";
import type { FailedCall, ToldFailure } from "./failed-call.ts";
import { failureRows } from "./failure-rows.ts";

/** Tells of an error that nobody expected: nothing is certain then of a submission. */
export function unexpectedFailure(
  error: unknown,
  { again }: Pick<FailedCall, "again">,
): ToldFailure {
  const words = reasonOf(error);
  const acts = again !== null;
  const text = failureRows("unexpected", [
    ["what happened", [words]],
    ["the insurer", acts ? ["may have acted (unknown)"] : []],
    ["what to do", acts ? ["find out first whether the insurer has it"] : ["run it again"]],
  ]);
  return {
    exitCode: acts ? exitCodeOf.unknown : EXIT_FAILED,
    text,
    facts: {
      code: "UNEXPECTED",
      outcome: "unknown",
      retry: acts ? "after_check" : "safe",
      message: words,
      errors: [],
      idempotencyKey: null,
      submissionId: null,
      requestId: null,
      insurerId: null,
    },
  };
}

/** Only what the system says of a file or a stream is told: another error may repeat what was sent. */
function reasonOf(error: unknown): string {
  if (error instanceof OutputError) return error.message;
  if (!(error instanceof Error)) return "no error was given";
  return "syscall" in error ? error.message : error.name;
}
