import { GatewayError } from "@insurance-gateway/core";
import type { Command } from "commander";
import { loadConfiguration } from "../configuration/load.ts";
import type { ConnectionOptions } from "./call/common-options.ts";
import { questionFailure } from "./call/question-failure.ts";
import { unexpectedFailure } from "./call/unexpected-failure.ts";
import { withGateway } from "./call/with-gateway.ts";
import { OutputError, printAnswer } from "./output/print.ts";

/** Asks a running gateway where a submission of this caller stands. */
export async function askSubmission(
  id: string,
  options: ConnectionOptions,
  command: Command,
): Promise<void> {
  await withGateway(
    {
      command,
      configuration: loadConfiguration(process.env, process.cwd()),
      options,
      telling: { key: false, verbose: null },
      failed: (error, hints) => {
        if (GatewayError.isInstance(error)) return questionFailure(error, id, hints);
        if (error instanceof OutputError && error.readerGone) return null;
        return unexpectedFailure(error, { again: null });
      },
    },
    async (gateway, signal) =>
      printAnswer(await gateway.submission(id, { signal }), options.output, signal),
  );
}
