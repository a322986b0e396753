import { createReadSettings } from "../configuration/settings.ts";
import { longestCallMs, type RunningGateway, startGateway } from "../gateway.ts";
import { endOnUncaught } from "../operator/logging/fatal-errors.ts";
import { createLogger } from "../operator/logging/logger.ts";
import { createProcessMetrics } from "../operator/observation/process-metrics.ts";

/** The wait for requests in flight, in addition to the notice and the longest call. */
const STOP_MARGIN_MS = 20_000;

/** Serves until SIGTERM or SIGINT; then finishes what is in flight and ends with code 0. */
export async function serve(): Promise<void> {
  // The files of the store are the operator's alone.
  process.umask(0o077);
  const asked = askedToEnd();
  let reload = (): Promise<unknown> => Promise.resolve();
  // Before the start is done, what is read is new.
  process.on("SIGHUP", () => void reload());
  const logger = createLogger();
  endOnUncaught(logger);
  const processMetrics = createProcessMetrics();
  const readSettings = createReadSettings(process.env, process.cwd());
  const gateway = await startGateway(readSettings, process.env, logger, {
    processMetrics,
  });
  reload = gateway.reload;
  if (!asked.yet) process.stdout.write(greeting(gateway));
  await asked.promise;
  setTimeout(() => process.exit(1), longestEndMs(gateway)).unref();
  await gateway.stop();
  await logger.flush();
  process.exit(0);
}

/** The longest that a gateway takes to end, by the configuration that counts now. */
function longestEndMs({ configuration }: RunningGateway): number {
  const { providers, shutdown } = configuration();
  return shutdown.noticeMs + longestCallMs({ providers }) + STOP_MARGIN_MS;
}

/**
 * Listens from the beginning, so that a signal during the start ends it in order, too; and to the end, because
 * npm passes on a signal that has already reached the whole group, and the second must not kill what is in flight.
 */
function askedToEnd(): { readonly yet: boolean; readonly promise: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const asked = { yet: false, promise };
  for (const signal of ["SIGTERM", "SIGINT"])
    process.on(signal, () => {
      asked.yet = true;
      resolve();
    });
  return asked;
}

/** The text for the operator at a start. Its one secret gives development tokens, which nothing in production accepts. */
function greeting({
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

/** The command as the reader started the gateway: through npm or by itself. */
function tokenHint(): string {
  return process.env.npm_lifecycle_event === "start"
    ? "TOKEN=$(npm run --silent token)"
    : "TOKEN=$(insurance-gateway token)";
}
