import type { GatewayError } from "@insurance-gateway/core";
import { EXIT_UNANSWERED } from "../exit-codes.ts";
import type { Hints, ToldFailure } from "./failed-call.ts";
import { failureRows } from "./failure-rows.ts";
import { factsOf, titleOf, wordsOf } from "./failure-words.ts";

/** Tells why a question for a submission has no answer; that says nothing of the submission itself. */
export function questionFailure(
  error: GatewayError,
  submissionId: string,
  hints: Hints,
): ToldFailure {
  const text = failureRows(titleOf(error), [
    ["what happened", [wordsOf(error)]],
    ["the submission", ["nothing is known of it from here"]],
    ["what to do", [adviceOf(error, hints)]],
    ["request id", [error.requestId ?? ""]],
  ]);
  const facts = { ...factsOf(error), outcome: null, submissionId };
  return { exitCode: EXIT_UNANSWERED, text, facts };
}

function adviceOf({ code, retry }: GatewayError, hints: Hints): string {
  if (code === "SUBMISSION_NOT_FOUND")
    return "not known from here: ask with the token that sent it, and the gateway that it was sent to";
  return hints[code] ?? (retry === "safe" ? "ask again" : "find out why, and ask again");
}
