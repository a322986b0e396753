import {
  ConfigurationError as ClientConfigurationError,
  createGateway,
  type Gateway,
  RequestInvalidError,
} from "@insurance-gateway/core";
import type { Command } from "commander";
import type { Configuration } from "../../configuration/load.ts";
import { crossesInClear } from "../address.ts";
import { refuse } from "../refuse.ts";
import type { ConnectionOptions } from "./common-options.ts";
import type { Hints, ToldFailure } from "./failed-call.ts";
import { tokenSource } from "./token.ts";
import { type Telling, toldTransport } from "./told-transport.ts";

/** What a gateway is called with. */
export interface Connecting {
  /** Refuses what is wrong with the command line. */
  readonly command: Command;
  readonly configuration: Configuration;
  readonly options: ConnectionOptions;
  readonly segments?: Readonly<Record<string, string>>;
  readonly telling: Omit<Telling, "tell" | "sent">;
  /** What is told of a failure; null where it is none. */
  readonly failed: (error: unknown, hints: Hints) => ToldFailure | null;
}

/**
 * Calls a running gateway. What fails is told on standard error and becomes the exit code; SIGINT and SIGTERM end the
 * call in order, so that nothing half written stays and a submission's key is told.
 */
export async function withGateway(
  connecting: Connecting,
  work: (gateway: Gateway, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  let key: string | null = null;
  const gateway = await connect(connecting, (sentKey) => {
    key = sentKey;
  });
  const ending = new AbortController();
  const end = (): void => ending.abort();
  process.once("SIGINT", end).once("SIGTERM", end);
  try {
    await work(gateway, ending.signal);
  } catch (error) {
    tellFailure(connecting, error, key);
  } finally {
    process.off("SIGINT", end).off("SIGTERM", end);
    // What became of the call is settled, however its connections end.
    await gateway.close().catch(() => {});
    // A reader that does not read would hold up the end.
    if (ending.signal.aborted) process.exit();
  }
}

function tellFailure(connecting: Connecting, error: unknown, key: string | null): void {
  const { command, failed, options } = connecting;
  const told = failed(error, hintsOf(connecting));
  if (told === null) return;
  // First of all: nothing that happens while it is told makes another outcome of it.
  process.exitCode = told.exitCode;
  const { facts, text } = told;
  if (options.output === "json")
    tell(JSON.stringify({ ...facts, idempotencyKey: facts.idempotencyKey ?? key }));
  else if (RequestInvalidError.isInstance(error)) refuse(command, text);
  else tell(text);
}

async function connect(
  connecting: Connecting,
  sent: (idempotencyKey: string) => void,
): Promise<Gateway> {
  const { command, configuration, options, segments, telling } = connecting;
  if (!URL.canParse(options.gateway))
    return refuse(command, "--gateway must be an absolute http or https address");
  const address = new URL(options.gateway);
  if (crossesInClear(address) && options.insecureHttp !== true)
    return refuse(
      command,
      "--gateway is http, and tokens and customers' data would cross in clear; name an https address, or give --insecure-http where nobody else can read on the way",
    );
  const token = await tokenSource(configuration, process.env, address);
  if (token === null)
    return refuse(
      command,
      "GATEWAY_TOKEN is not set; set GATEWAY_TOKEN to a token of this gateway",
    );
  try {
    return createGateway({
      baseUrl: options.gateway,
      token,
      timeout: options.timeout * 1_000,
      segments,
      transport: toldTransport({ ...telling, sent, tell }),
    });
  } catch (error) {
    if (!ClientConfigurationError.isInstance(error)) throw error;
    return refuse(command, error.faults.join("; ").replace("baseUrl", "--gateway"));
  }
}

/** What to do about failures that the command line knows more of than the client. */
function hintsOf({ configuration, options }: Connecting): Hints {
  return {
    CONNECTION_FAILED: `see whether a gateway runs at ${options.gateway}; \`insurance-gateway serve\` starts one, --gateway or GATEWAY_URL names another`,
    UNAUTHENTICATED:
      (process.env.GATEWAY_TOKEN ?? "") === ""
        ? `the token was of the development issuer of ${configuration.data}, which this gateway does not have; set GATEWAY_TOKEN`
        : "set GATEWAY_TOKEN to a valid token of this gateway",
  };
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}
