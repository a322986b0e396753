import pino from "pino";
import { loadConfiguration } from "../configuration/load.ts";
import { startGateway } from "../gateway.ts";

/** After this long, what is still in flight is given up: longer than the gateway gives a submission. */
const STOP_DEADLINE_MS = 60_000;

/** Serves until SIGTERM or SIGINT; then finishes what is in flight and ends with code 0. */
export async function serve(): Promise<void> {
  const configuration = loadConfiguration(process.env, process.cwd());
  const logger = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime });
  const gateway = await startGateway(configuration, process.env, logger);
  const { address, firstLookup, operationsAddress } = gateway;
  const tokenCommand =
    configuration.issuers.length === 0
      ? tokenHint()
      : "# from your issuer, as configured in `issuers`";
  process.stdout.write(
    [
      "",
      `  Insurance Gateway   ${address}`,
      `  Operations          ${operationsAddress}/health/ready`,
      `  A token             ${tokenCommand}`,
      ...(firstLookup === null
        ? []
        : [
            "  A first call",
            `    curl -H "Authorization: Bearer $TOKEN" ${address}${firstLookup}`,
          ]),
      "",
      "",
    ].join("\n"),
  );

  const stop = (): void => {
    setTimeout(() => process.exit(1), STOP_DEADLINE_MS).unref();
    void gateway.stop().then(() => process.exit(0));
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}

/** The command as the reader started the gateway: through npm or by itself. */
function tokenHint(): string {
  return process.env.npm_lifecycle_event === "start"
    ? "TOKEN=$(npm run --silent token)"
    : "TOKEN=$(insurance-gateway token)";
}
