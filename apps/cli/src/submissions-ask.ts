import { explain, GatewayError } from "@insurance-gateway/core";
import { loadConfiguration } from "@insurance-gateway/gateway/folder";
import type { Command } from "commander";
import type { AccessOptions } from "./call/common-options.ts";
import {
  type AdviceByCode,
  type FailureReport,
  failureFactsOf,
  failureText,
  shortMessageOf,
  unexpectedFailure,
} from "./call/failure.ts";
import { withGateway } from "./call/with-gateway.ts";
import { EXIT_UNANSWERED } from "./exit-codes.ts";
import { OutputError, printAnswer } from "./output/print.ts";

/** Queries a running gateway for the state of a submission, with the token of the submission's caller. */
export async function askSubmission(
  id: string,
  options: AccessOptions,
  command: Command,
): Promise<void> {
  await withGateway(
    {
      command,
      configuration: loadConfiguration(process.env, process.cwd()),
      options,
      report: { key: false, verbose: null },
      describeFailure: (error, hints) => {
        if (GatewayError.isInstance(error)) return noAnswer(error, id, hints);
        if (error instanceof OutputError && error.readerGone) return null;
        return unexpectedFailure(error);
      },
    },
    async (gateway, signal) =>
      printAnswer(await gateway.submission(id, { signal }), options.output, signal),
  );
}

/**
 * Reports why the gateway did not answer with the submission's state. The error proves nothing about the submission.
 */
function noAnswer(error: GatewayError, submissionId: string, hints: AdviceByCode): FailureReport {
  const text = failureText(explain(error).title, [
    ["what happened", [shortMessageOf(error)]],
    ["the submission", ["its state is not known"]],
    ["what to do", [adviceText(error, hints)]],
    ["request id", [error.requestId ?? ""]],
  ]);
  const facts = { ...failureFactsOf(error), outcome: null, submissionId };
  return { exitCode: EXIT_UNANSWERED, text, facts };
}

function adviceText({ code, retry }: GatewayError, hints: AdviceByCode): string {
  if (code === "SUBMISSION_NOT_FOUND")
    return "use the sender's token and the gateway that received the submission";
  return (
    hints[code] ??
    (retry === "safe" ? "run the command again" : "find out the cause, then run the command again")
  );
}
