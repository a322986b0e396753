import { kindPolicies } from "@insurance-gateway/core/contract";
import type { Command } from "commander";
import { askCommand, commandAgain } from "./command-again.ts";
import type { CommonOptions } from "./common-options.ts";
import type { CalledEndpoint } from "./endpoint-command.ts";
import type { FailedCall } from "./failed-call.ts";
import { whatFailed } from "./failure.ts";
import type { CallFlag } from "./flags.ts";
import type { CallInput } from "./input.ts";
import { makeCall } from "./make-call.ts";
import { withGateway } from "./with-gateway.ts";

/** What was read from the command line of a call. */
export interface WrittenCall {
  readonly flags: readonly CallFlag[];
  readonly input: CallInput;
  readonly options: CommonOptions;
}

/** Sends a call to the gateway, and shows its answer or what became of it. */
export async function sendCall(
  command: Command,
  { declared: { configuration }, endpoint, parameters, provider }: CalledEndpoint,
  { flags, input, options }: WrittenCall,
): Promise<void> {
  const { idempotencyKey, scenario, verbose } = options;
  const again = (key: string): string =>
    commandAgain(parameters, flags, { idempotencyKey: key, shown: process.stderr.isTTY });
  const failed: FailedCall = {
    flags,
    again: kindPolicies[endpoint.kind].actsAtInsurer ? again : null,
    ask: (submissionId) => askCommand(command, options, submissionId),
  };
  await withGateway(
    {
      command,
      configuration,
      options,
      segments: { [provider.provider.id]: provider.segment },
      telling: {
        key: idempotencyKey === undefined,
        verbose:
          verbose === true ? `${endpoint.method} /${provider.segment}${endpoint.path}` : null,
      },
      failed: (error, hints) => whatFailed(error, failed, hints),
    },
    (gateway, signal) =>
      makeCall({
        gateway,
        endpoint,
        options,
        signal,
        input: {
          ...input,
          idempotencyKey,
          mediaType: options.mediaType,
          headers: {
            ...Object(input.headers),
            ...(scenario === undefined ? {} : { "x-sandbox-scenario": scenario }),
          },
        },
      }),
  );
}
