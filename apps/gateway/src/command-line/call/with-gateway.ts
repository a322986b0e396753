import {
  ConfigurationError as ClientConfigurationError,
  createGateway,
  type Gateway,
  GatewayError,
  type GatewayOptions,
  RequestInvalidError,
} from "@insurance-gateway/core";
import type { Command } from "commander";
import type { Configuration } from "../../configuration/load.ts";
import { EXIT_USAGE, exitCodeOf } from "../exit-codes.ts";
import type { CommonOptions } from "./common-options.ts";
import { type FailedCall, failureText } from "./failure.ts";
import { faultLines } from "./faults.ts";
import { tokenSource } from "./token.ts";
import { type Telling, toldTransport } from "./told-transport.ts";

/** What a gateway is called with. */
export interface Connecting {
  /** Refuses what is wrong with the command line. */
  readonly command: Command;
  readonly configuration: Configuration;
  readonly options: Pick<CommonOptions, "gateway" | "timeout">;
  readonly segments?: Readonly<Record<string, string>>;
  readonly telling: Omit<Telling, "tell">;
  readonly failed: Omit<FailedCall, "hints">;
}

/**
 * Calls a running gateway. What fails is told on standard error and becomes the exit code; SIGINT and SIGTERM end the
 * call in order, so that nothing half written stays and a submission's key is told.
 */
export async function withGateway(
  connecting: Connecting,
  work: (gateway: Gateway, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { command } = connecting;
  const gateway = await connect(connecting);
  const ending = new AbortController();
  const end = (): void => ending.abort();
  process.once("SIGINT", end).once("SIGTERM", end);
  try {
    await work(gateway, ending.signal);
  } catch (error) {
    if (RequestInvalidError.isInstance(error))
      refuse(
        command,
        `nothing was sent:\n${indented(faultLines(error.errors, connecting.failed.flags))}`,
      );
    if (!GatewayError.isInstance(error)) throw error;
    tell(failureText(error, { ...connecting.failed, hints: hintsOf(connecting) }));
    process.exitCode = exitCodeOf[error.outcome];
  } finally {
    process.off("SIGINT", end).off("SIGTERM", end);
    await gateway.close();
  }
}

async function connect(connecting: Connecting): Promise<Gateway> {
  const { command, configuration, options, segments, telling } = connecting;
  const token = await tokenSource(configuration, process.env);
  if (token === null)
    return refuse(
      command,
      "GATEWAY_TOKEN is not set; tokens come from the issuer of the configuration",
    );
  const settings: GatewayOptions = {
    baseUrl: options.gateway,
    token,
    timeout: options.timeout * 1_000,
    segments,
    transport: toldTransport({ ...telling, tell }),
  };
  try {
    return createGateway(settings);
  } catch (error) {
    if (!ClientConfigurationError.isInstance(error)) throw error;
    return refuse(command, error.faults.join("; ").replace("baseUrl", "--gateway"));
  }
}

/** Says what is wrong with the command line, and ends the command. */
export function refuse(command: Command, fault: string): never {
  return command.error(`error: ${fault}`, { exitCode: EXIT_USAGE });
}

/** What to do about failures that the command line knows more of than the client. */
function hintsOf({ configuration, options }: Connecting): FailedCall["hints"] {
  return {
    CONNECTION_FAILED: `see whether a gateway runs at ${options.gateway}; \`insurance-gateway serve\` starts one, --gateway or GATEWAY_URL names another`,
    UNAUTHENTICATED:
      (process.env.GATEWAY_TOKEN ?? "") === ""
        ? `the token was of the development issuer of ${configuration.data}, which this gateway does not have; set GATEWAY_TOKEN`
        : "set GATEWAY_TOKEN to a valid token of this gateway",
  };
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join("\n");
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}
