import type { Endpoint } from "@insurance-gateway/core/contract";
import { bodyFormatOf, bodyOf, fileNameOf } from "@insurance-gateway/core/runtime";
import type { DeclaredConfiguration, InstalledProvider } from "@insurance-gateway/gateway/folder";
import type { EndpointReference } from "@insurance-gateway/gateway/reference";
import type { Command } from "commander";
import { refuse } from "../command-parts.ts";
import { exitCodesHelp } from "../exit-codes.ts";
import { type CommonOptions, commonOptions } from "./common-options.ts";
import { type CallFlag, flagsOf } from "./flags.ts";
import { applyFlags, readJsonFile, readUnchangedBody } from "./input.ts";
import { fileFault } from "./save-document.ts";

/** An endpoint that is called from the command line. */
export interface CalledEndpoint {
  readonly declared: DeclaredConfiguration;
  readonly provider: InstalledProvider;
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly reference: EndpointReference;
  /** The arguments after `insurance-gateway call`. */
  readonly parameters: readonly string[];
}

/** Adds the flags, the help and the action to the command of an endpoint. */
export function completeEndpointCommand(command: Command, called: CalledEndpoint): void {
  const { endpoint, name, provider, reference } = called;
  const common = commonOptions(endpoint);
  const flags = flagsOf(endpoint, reference, common);
  for (const { option } of flags) command.addOption(option);
  for (const option of common) command.addOption(option);
  command
    .usage("[flags]")
    .showHelpAfterError(
      `(insurance-gateway call ${provider.segment} ${name} --help lists the flags)`,
    )
    .addHelpText("after", `\n${exampleCallOf(called, flags)}\n\n${exitCodesHelp}`)
    .action((options: CommonOptions) => callEndpoint(command, called, flags, options));
}

async function callEndpoint(
  command: Command,
  called: CalledEndpoint,
  flags: readonly CallFlag[],
  options: CommonOptions,
): Promise<void> {
  const { declared, endpoint } = called;
  const source = (flag: string, file: string | undefined): Promise<unknown> | undefined =>
    file === undefined
      ? undefined
      : readJsonFile({ flag, file, depth: declared.configuration.limits.jsonDepth }, (fault) =>
          refuse(command, fault),
        );
  const mediaType = options.mediaType ?? Object.keys(bodyOf(endpoint)?.media ?? {})[0] ?? "";
  const isObject = ["json", "form", "multipart"].includes(bodyFormatOf(mediaType));
  const body = isObject
    ? await source("--body", options.body)
    : options.body === undefined
      ? undefined
      : await readUnchangedBody(options.body, mediaType, (fault) => refuse(command, fault));
  const query = await source("--query", options.query);
  if (query !== undefined && (typeof query !== "object" || query === null || Array.isArray(query)))
    refuse(command, "--query must be an object");
  const input = applyFlags(flags, command.opts(), { body, query });
  if (endpoint.files !== undefined)
    refuseUnwritableFile(command, options.out ?? fileNameOf(endpoint), options);
  // Load the client only if a request is sent.
  const { sendCall } = await import("./make-call.ts");
  await sendCall(command, called, { flags, input, options });
}

/** Refuses a file that could not be written, before the request is sent. */
function refuseUnwritableFile(command: Command, file: string, { force }: CommonOptions): void {
  if (file === "-" && process.stdout.isTTY)
    refuse(command, "--out must name a file, because standard output is a terminal");
  const fault = file === "-" ? null : fileFault(file, force === true);
  if (fault !== null) refuse(command, fault);
}

function exampleCallOf({ name, provider }: CalledEndpoint, flags: readonly CallFlag[]): string {
  const needed = flags.filter(({ required }) => required).map(({ example }) => example);
  const lines = [`insurance-gateway call ${provider.segment} ${name}`, ...needed];
  return `Example:\n  ${lines.join(" \\\n    ")}`;
}
