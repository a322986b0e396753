import {
  createGateway,
  type Gateway,
  ConfigurationError as WrongOptions,
} from "@insurance-gateway/core";
import type { EndpointKind } from "@insurance-gateway/core/contract";
import { ConfigurationError } from "./configuration-error.ts";
import type { ConfirmOption } from "./instructions.ts";
import { type InstalledProvider, installProviders } from "./providers.ts";
import type { Segments } from "./segments.ts";
import { type TokenEnvironment, tokenOf } from "./token.ts";
import { type EndpointTool, toolsOf } from "./tools.ts";

/** The options of the command line. */
export interface CommandLine {
  readonly gateway: string;
  readonly provider?: readonly string[];
  readonly allow?: readonly EndpointKind[];
  readonly tool?: readonly string[];
  readonly confirm: ConfirmOption;
  readonly segment?: Segments;
}

/** What a server is made of. */
export interface Configuration {
  readonly gateway: Gateway;
  readonly tools: readonly EndpointTool[];
  readonly confirm: ConfirmOption;
}

/** The kinds whose tools are there without being asked for: none of them changes anything or gives out a file. */
const DEFAULT_KINDS: readonly EndpointKind[] = ["lookup", "search", "quote"];
/**
 * How long a call may take: less than the 60 seconds after which an MCP client usually gives up, and more than the 45
 * that a gateway gives a submission.
 */
const CALL_TIMEOUT_MS = 55_000;

/**
 * Makes the tools and the connection that the options ask for. Nothing is sent yet.
 * @param environment - that has the token
 * @param folder - where provider packages are looked up from
 * @throws ConfigurationError with every fault
 */
export async function configure(
  options: CommandLine,
  environment: TokenEnvironment,
  folder: string,
): Promise<Configuration> {
  const faults: string[] = [];
  const noted = (error: unknown): null => {
    if (!(error instanceof ConfigurationError)) throw error;
    faults.push(...error.faults);
    return null;
  };
  const kinds = [...DEFAULT_KINDS, ...(options.allow ?? [])];
  const gateway = await connect(options, environment).catch(noted);
  const providers = await installProviders(folder, options.provider).catch(noted);
  if (providers !== null) faults.push(...segmentFaults(options.segment ?? {}, providers));
  if (gateway === null || providers === null || faults.length > 0)
    throw new ConfigurationError(faults);
  const tools = toolsOf(providers, kinds, options.tool);
  return { gateway, tools, confirm: options.confirm };
}

async function connect(
  { gateway, segment }: CommandLine,
  environment: TokenEnvironment,
): Promise<Gateway> {
  const token = tokenOf(environment);
  try {
    return createGateway({ baseUrl: gateway, token, timeout: CALL_TIMEOUT_MS, segments: segment });
  } catch (error) {
    if (!WrongOptions.isInstance(error)) throw error;
    throw new ConfigurationError(error.faults.map(asOption));
  }
}

/** A fault of the client's options, with the names that they have here. */
function asOption(fault: string): string {
  return fault
    .replace(/^baseUrl\b/, "--gateway, or GATEWAY_URL,")
    .replace(/^segments\["(.*)"\]/, "--segment of $1");
}

function segmentFaults(
  segments: Segments,
  providers: readonly InstalledProvider[],
): readonly string[] {
  const known = new Set(providers.map(({ provider }) => provider.id));
  return Object.keys(segments)
    .filter((id) => !known.has(id))
    .map((id) => `--segment: ${id} is none of the providers (${[...known].join(", ")})`);
}
