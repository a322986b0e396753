import { createReadSettings } from "../configuration/settings.ts";
import { longestCallMs, type RunningGateway, startGateway } from "../gateway.ts";
import { endOnUncaught } from "../operator/logging/fatal-errors.ts";
import { createLogger } from "../operator/logging/logger.ts";
import { createProcessMetrics } from "../operator/observation/process-metrics.ts";

/**
 * Additional time in milliseconds for the stop of a gateway, after the notice period and the longest time of a call.
 */
const STOP_MARGIN_MS = 20_000;

/** Serves until SIGTERM or SIGINT, then finishes the requests in flight and exits with code 0. */
export async function serve(): Promise<void> {
  // Only the user of this process may read new files, such as the store.
  process.umask(0o077);
  const asked = watchStopSignals();
  let reload = (): Promise<unknown> => Promise.resolve();
  // A reload during the start is unnecessary, because the start reads the current files.
  process.on("SIGHUP", () => void reload());
  const logger = createLogger();
  endOnUncaught(logger);
  const processMetrics = createProcessMetrics();
  const readSettings = createReadSettings(process.env, process.cwd());
  const gateway = await startGateway(readSettings, process.env, logger, {
    processMetrics,
  });
  reload = gateway.reload;
  if (!asked.yet) process.stdout.write(startText(gateway));
  await asked.promise;
  setTimeout(() => process.exit(1), maxStopMs(gateway)).unref();
  await gateway.stop();
  await logger.flush();
  process.exit(0);
}

/** Returns the maximum time for stopping a gateway with its current configuration, in milliseconds. */
function maxStopMs({ configuration }: RunningGateway): number {
  const { providers, shutdown } = configuration();
  return shutdown.noticeMs + longestCallMs({ providers }) + STOP_MARGIN_MS;
}

/**
 * Handles signals from the start, so that a signal during the start ends the process in order. Handles signals until
 * the end, because npm repeats a signal that the whole process group has received, and the second signal must not kill
 * requests in flight.
 */
function watchStopSignals(): { readonly yet: boolean; readonly promise: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const asked = { yet: false, promise };
  for (const signal of ["SIGTERM", "SIGINT"])
    process.on(signal, () => {
      asked.yet = true;
      resolve();
    });
  return asked;
}

/**
 * Returns the text that a start prints for the operator. The text's only secret is for development tokens, and
 * production refuses such tokens.
 */
function startText({
  address,
  configuration,
  firstLookup,
  operationsAddress,
  referenceAddress,
}: RunningGateway): string {
  const token =
    configuration().issuers.length === 0
      ? tokenHint()
      : "# from your issuer, as configured in `issuers`";
  const call = `curl -H "Authorization: Bearer $TOKEN" ${address}${firstLookup}`;
  return [
    "",
    `  Insurance Gateway   ${address}`,
    ...(referenceAddress === null ? [] : [`  Reference           ${referenceAddress}`]),
    `  Operations          ${operationsAddress}`,
    `  A token             ${token}`,
    ...(firstLookup === null ? [] : ["  A first call", `    ${call}`]),
    "",
    "",
  ].join("\n");
}

/** Returns the command that prints a token: with npm if npm started the gateway, otherwise without npm. */
function tokenHint(): string {
  return process.env.npm_lifecycle_event === "start"
    ? "TOKEN=$(npm run --silent token)"
    : "TOKEN=$(insurance-gateway token)";
}
