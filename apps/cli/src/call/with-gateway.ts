import {
  ConfigurationError as ClientConfigurationError,
  createGateway,
  type Gateway,
  RequestInvalidError,
} from "@insurance-gateway/core";
import { createTransport, type Transport, TransportError } from "@insurance-gateway/core/transport";
import type { Configuration, Environment } from "@insurance-gateway/gateway/folder";
import { openDevelopmentIssuer } from "@insurance-gateway/gateway/token";
import type { Command } from "commander";
import { isOwnAddress, isUnencryptedRemote } from "../address.ts";
import { developmentTokenDefaults, refuse } from "../command-parts.ts";
import { safeText } from "../output/safe-text.ts";
import type { AccessOptions } from "./common-options.ts";
import type { AdviceByCode, FailureReport } from "./failure.ts";

/** The parameters of `withGateway`. */
export interface GatewayParameters {
  /** The command that reports faults of the command line. */
  readonly command: Command;
  readonly configuration: Configuration;
  readonly options: AccessOptions;
  readonly segments?: Readonly<Record<string, string>>;
  readonly report: Pick<RequestPrintOptions, "key" | "verbose">;
  /** Describes a failure; null if the failure needs no report. */
  readonly describeFailure: (error: unknown, hints: AdviceByCode) => FailureReport | null;
}

/**
 * Calls a running gateway. A failure is printed to standard error and sets the exit code. SIGINT and SIGTERM cancel the
 * call in an orderly way, so that no partial file remains and the idempotency key of a submission is printed.
 */
export async function withGateway(
  connecting: GatewayParameters,
  work: (gateway: Gateway, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  let key: string | null = null;
  const gateway = await connectGateway(connecting, (sentKey) => {
    key = sentKey;
  });
  const cancellation = new AbortController();
  const cancel = (): void => cancellation.abort();
  process.once("SIGINT", cancel).once("SIGTERM", cancel);
  try {
    await work(gateway, cancellation.signal);
  } catch (error) {
    printFailure(connecting, error, key);
  } finally {
    process.off("SIGINT", cancel).off("SIGTERM", cancel);
    // Closing connections cannot change the result of the call.
    await gateway.close().catch(() => {});
    // Output that no program reads would keep the process alive.
    if (cancellation.signal.aborted) process.exit();
  }
}

function printFailure(connecting: GatewayParameters, error: unknown, key: string | null): void {
  const { command, describeFailure, options } = connecting;
  const failure = describeFailure(error, adviceByCodeOf(connecting));
  if (failure === null) return;
  // Set the exit code before printing, because an error while printing must not change the exit code.
  process.exitCode = failure.exitCode;
  const { facts, text } = failure;
  if (options.output === "json")
    printLine(JSON.stringify({ ...facts, idempotencyKey: facts.idempotencyKey ?? key }));
  else if (RequestInvalidError.isInstance(error)) refuse(command, text);
  else printLine(text);
}

async function connectGateway(
  connecting: GatewayParameters,
  sent: (idempotencyKey: string) => void,
): Promise<Gateway> {
  const { command, configuration, options, segments, report } = connecting;
  if (!URL.canParse(options.gateway))
    return refuse(command, "--gateway must be an absolute http or https address");
  const address = new URL(options.gateway);
  if (isUnencryptedRemote(address) && options.insecureHttp !== true)
    return refuse(
      command,
      "--gateway is http, so tokens and customers' data would not be encrypted; use an https address, or add --insecure-http on a trusted network",
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
      transport: reportingTransport({ ...report, sent }),
    });
  } catch (error) {
    if (!ClientConfigurationError.isInstance(error)) throw error;
    return refuse(command, error.faults.join("; ").replace("baseUrl", "--gateway"));
  }
}

/**
 * Returns advice for failures that only the command line can explain, because the command line determines the address
 * and the token.
 */
function adviceByCodeOf({ configuration, options }: GatewayParameters): AdviceByCode {
  return {
    CONNECTION_FAILED: `check that a gateway runs at ${options.gateway}; start one with \`insurance-gateway serve\`, or name another with --gateway or GATEWAY_URL`,
    UNAUTHENTICATED:
      (process.env.GATEWAY_TOKEN ?? "") === ""
        ? `the token is from the development issuer in ${configuration.data}, which this gateway does not trust; set GATEWAY_TOKEN to another token`
        : "set GATEWAY_TOKEN to a valid token of this gateway",
  };
}

function printLine(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Lifetime of a development token, which is used for one request. */
const DEVELOPMENT_TOKEN_SECONDS = 300;

/**
 * Returns the source of a call's token: GATEWAY_TOKEN, or the development issuer if the configuration has it and the
 * gateway runs on this machine. A token is never an argument, because other users can list the arguments of processes.
 * @param gateway - the address that receives the token. A development token permits everything.
 * @returns null if no token is available
 */
async function tokenSource(
  configuration: Configuration,
  environment: Environment,
  gateway: URL,
): Promise<string | (() => Promise<string>) | null> {
  const given = environment.GATEWAY_TOKEN ?? "";
  if (given !== "") return given;
  const isProduction = environment.NODE_ENV?.trim().toLowerCase() === "production";
  if (isProduction || configuration.issuers.length > 0) return null;
  if (!isOwnAddress(gateway, configuration)) return null;
  const issuer = await openDevelopmentIssuer(configuration.data);
  return () =>
    issuer.sign({ ...developmentTokenDefaults, expiresInSeconds: DEVELOPMENT_TOKEN_SECONDS });
}

/** Options of a transport that prints the requests of a call. */
interface RequestPrintOptions {
  /** Called with the idempotency key of a submission before the submission is sent. */
  readonly sent: (idempotencyKey: string) => void;
  /** True if the idempotency key of a submission is printed. */
  readonly key: boolean;
  /** The method and the path template to print for each request; null if requests are not printed. */
  readonly verbose: string | null;
}

/** The headers of an answer that are printed, in this order. */
const PRINTED_HEADERS: readonly string[] = [
  "x-request-id",
  "server-timing",
  "ratelimit",
  "ratelimit-policy",
  "retry-after",
  "proxy-status",
  "idempotency-replayed",
  "age",
  "location",
];

/** Creates a transport that prints requests and answers without addresses, tokens or bodies. */
function reportingTransport({ key, sent, verbose }: RequestPrintOptions): Transport {
  const transport = createTransport();
  let keyPrinted = !key;
  return {
    async send(request) {
      // The client marks a generated idempotency key: `"KEY";generated`.
      const sentKey = request.headers["idempotency-key"]?.replace(/^"([^"]*)".*$/, "$1");
      if (sentKey !== undefined) sent(sentKey);
      // Print the key before the request: after a failure, the user can send the submission again with this key.
      if (!keyPrinted && sentKey !== undefined) printLine(`Idempotency-Key: ${sentKey}`);
      keyPrinted = true;
      if (verbose === null) return transport.send(request);
      printLine(verbose);
      const startedAt = performance.now();
      try {
        const response = await transport.send(request);
        printLine(`  ${response.status} after ${Math.round(performance.now() - startedAt)} ms`);
        for (const name of PRINTED_HEADERS) {
          const value = response.headers[name];
          if (value !== undefined) printLine(`  ${name}: ${safeText(value)}`);
        }
        return response;
      } catch (error) {
        if (TransportError.isInstance(error)) printLine(`  ${error.message}`);
        throw error;
      }
    },
    close: () => transport.close(),
  };
}
