import { readFileSync } from "node:fs";
import { CommanderError } from "commander";
import { registerAccountCommands } from "./account-commands.ts";
import { moveFlagsBehindEndpoint, registerCallCommand } from "./call/register-call.ts";
import { EXIT_CONFIGURATION, EXIT_FAILED, EXIT_USAGE, exitCodesHelp } from "./exit-codes.ts";
import { registerLookCommands } from "./look-commands.ts";
import { OutputError } from "./output/print.ts";
import { RedactingCommand } from "./redacting-command.ts";
import { registerReportCommands } from "./report-commands.ts";
import { registerServingCommands } from "./serving-commands.ts";
import { registerStoreCommands } from "./store-commands.ts";
import { registerSubmissionCommands } from "./submissions-commands.ts";

// The gateway's files and downloads contain keys and customers' data, so only their owner may read new files.
process.umask(0o077);
// An error while writing output does not change the outcome of the command.
const ignoreError = (): void => {};
const setFailedExitCode = (error: NodeJS.ErrnoException): void => {
  // The reader of standard output may stop early, as `head` does.
  if (error.code !== "EPIPE") process.exitCode ??= EXIT_FAILED;
};
process.stdout.on("error", setFailedExitCode);
process.stderr.on("error", ignoreError);

const program = new RedactingCommand("insurance-gateway");
program
  .description("One HTTP gateway in front of many insurers")
  .version(
    packageVersionOf(new URL("../package.json", import.meta.url)),
    "--version",
    "print the version",
  )
  .exitOverride()
  .hook("preAction", (_program, command) => {
    // The command `serve` must end if it cannot write its log.
    if (command.name() !== "serve") return;
    process.stdout.off("error", setFailedExitCode);
    process.stderr.off("error", ignoreError);
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
registerServingCommands(program);
program.commandsGroup("Look:").helpCommand(true);
registerLookCommands(program);
program.commandsGroup("Call:");
registerCallCommand(program);
program.commandsGroup("Operate:");
registerStoreCommands(program);
registerSubmissionCommands(program);
registerAccountCommands(program);
registerReportCommands(program);

try {
  const given = process.argv.slice(2);
  const [first = "serve", ...words] = given;
  const behind = first === "call" ? moveFlagsBehindEndpoint(words) : words;
  await program.parseAsync([first, ...behind], { from: "user" });
} catch (error) {
  endProgram(exitCodeFor(error), error);
}

/** Sets the exit code, then prints the error: a failure of the printing must not change the exit code. */
function endProgram(code: number, error: unknown): void {
  if (code !== 0) process.exitCode ??= code;
  // commander has printed its own errors.
  const isPrinted = code === 0 || error instanceof CommanderError;
  if (!isPrinted) process.stderr.write(`${errorMessageOf(error)}\n`);
  // A failed start may have left open handles.
  if (code !== 0) process.exit();
}

function exitCodeFor(error: unknown): number {
  if (error instanceof OutputError && error.readerGone) return 0;
  // Printing the help on request is a success.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  // The gateway sets `mustBeCorrected` on an error about an unusable configuration or store.
  const isConfiguration = error instanceof Error && "mustBeCorrected" in error;
  return isConfiguration ? EXIT_CONFIGURATION : EXIT_FAILED;
}

function errorMessageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("code" in error && error.code === "EADDRINUSE")
    return `${error.message}\nAnother program uses this port: stop it, or set PORT or OPERATIONS_PORT to another port.`;
  return error.message;
}

function packageVersionOf(manifest: URL): string {
  return String(Reflect.get(JSON.parse(readFileSync(manifest, "utf8")), "version"));
}
