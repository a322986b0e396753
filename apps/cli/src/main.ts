import { readFileSync } from "node:fs";
import { CommanderError } from "commander";
import { registerAccounts } from "./account-commands.ts";
import { flagsBehindEndpoint, registerCall } from "./call/register-call.ts";
import { DiscreetCommand } from "./discreet-command.ts";
import { EXIT_CONFIGURATION, EXIT_FAILED, EXIT_USAGE, exitCodesHelp } from "./exit-codes.ts";
import { registerLooking } from "./look-commands.ts";
import { OutputError } from "./output/print.ts";
import { registerReports } from "./report-commands.ts";
import { registerServing } from "./serving-commands.ts";
import { registerStore } from "./store-commands.ts";
import { registerSubmissions } from "./submissions-commands.ts";

// Files of the gateway and downloads contain keys and customers' data, so only their owner may read them.
process.umask(0o077);
// An error while writing output does not change the outcome of the command.
const ignore = (): void => {};
const failQuietly = (error: NodeJS.ErrnoException): void => {
  // The reader of standard output may stop early, as `head` does.
  if (error.code !== "EPIPE") process.exitCode ??= EXIT_FAILED;
};
process.stdout.on("error", failQuietly);
process.stderr.on("error", ignore);

const program = new DiscreetCommand("insurance-gateway");
program
  .description("One HTTP gateway in front of many insurers")
  .version(versionOf(new URL("../package.json", import.meta.url)), "--version", "print the version")
  .exitOverride()
  .hook("preAction", (_program, command) => {
    // The command `serve` must end if it cannot write its log.
    if (command.name() !== "serve") return;
    process.stdout.off("error", failQuietly);
    process.stderr.off("error", ignore);
  })
  .enablePositionalOptions()
  .showHelpAfterError("(see insurance-gateway --help)")
  .addHelpText(
    "after",
    `
Examples:
  insurance-gateway serve
  insurance-gateway reload
  TOKEN=$(insurance-gateway token)
  insurance-gateway providers
  insurance-gateway routes provider-d
  insurance-gateway call provider-a listBrands
  insurance-gateway openapi provider-d
  insurance-gateway collections --out collections
  insurance-gateway store create
  insurance-gateway submissions list
  insurance-gateway answers --rows
  insurance-gateway usage --from 2026-11-01 --format json
  insurance-gateway drift

Configuration:
  gateway.config.json in this folder, or the file that GATEWAY_CONFIG names. HOST, PORT,
  OPERATIONS_HOST, OPERATIONS_PORT and GATEWAY_DATA override the file. Submissions are kept in the
  data folder, or in the PostgreSQL database that DATABASE_URL names.

${exitCodesHelp}`,
  );

program.commandsGroup("Serve:");
registerServing(program);
program.commandsGroup("Look:").helpCommand(true);
registerLooking(program);
program.commandsGroup("Call:");
registerCall(program);
program.commandsGroup("Operate:");
registerStore(program);
registerSubmissions(program);
registerAccounts(program);
registerReports(program);

try {
  const given = process.argv.slice(2);
  const [first = "serve", ...words] = given;
  const behind = first === "call" ? flagsBehindEndpoint(words) : words;
  await program.parseAsync([first, ...behind], { from: "user" });
} catch (error) {
  end(exitCodeFor(error), error);
}

/** Sets the exit code and prints an error, in this order: an error while printing must not change the exit code. */
function end(code: number, error: unknown): void {
  if (code !== 0) process.exitCode ??= code;
  // commander has printed its own errors.
  const isPrinted = code === 0 || error instanceof CommanderError;
  if (!isPrinted) process.stderr.write(`${messageOf(error)}\n`);
  // A failed start may have left open handles.
  if (code !== 0) process.exit();
}

function exitCodeFor(error: unknown): number {
  if (error instanceof OutputError && error.readerGone) return 0;
  // Printing the help on request is a success.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  // The gateway marks errors about an unusable configuration or store.
  const isConfiguration = error instanceof Error && "mustBeCorrected" in error;
  return isConfiguration ? EXIT_CONFIGURATION : EXIT_FAILED;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("code" in error && error.code === "EADDRINUSE")
    return `${error.message}\nAnother program uses this port: stop it, or set PORT or OPERATIONS_PORT to another port.`;
  return error.message;
}

function versionOf(manifest: URL): string {
  return String(Reflect.get(JSON.parse(readFileSync(manifest, "utf8")), "version"));
}
