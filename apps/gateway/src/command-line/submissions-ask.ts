import type { Command } from "commander";
import { loadConfiguration } from "../configuration/load.ts";
import type { CommonOptions } from "./call/common-options.ts";
import { withGateway } from "./call/with-gateway.ts";
import { printAnswer } from "./output/print.ts";

/** What the command line says about the question. */
export type AskOptions = Pick<CommonOptions, "gateway" | "timeout" | "output">;

/** Asks a running gateway where a submission of this caller stands. */
export async function askSubmission(
  id: string,
  options: AskOptions,
  command: Command,
): Promise<void> {
  await withGateway(
    {
      command,
      configuration: loadConfiguration(process.env, process.cwd()),
      options,
      telling: { key: false, verbose: null },
      failed: { flags: [], again: null },
    },
    async (gateway, signal) =>
      printAnswer(await gateway.submission(id, { signal }), options.output),
  );
}
