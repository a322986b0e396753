import { readFileSync } from "node:fs";
import {
  createGateway,
  type Gateway,
  type TokenSource,
  ConfigurationError as WrongOptions,
} from "@insurance-gateway/core";
import { tokenFile } from "@insurance-gateway/core/node";
import type { EndpointKind } from "@insurance-gateway/core/runtime";
import { createReferencePages, type ReferencePages } from "../resources/reference-pages.ts";
import type { ConfirmOption } from "../tools/descriptions.ts";
import { createTools, type EndpointTool } from "../tools/endpoint-tools.ts";
import { ConfigurationError } from "./configuration-error.ts";
import { type InstalledProvider, loadProviders } from "./providers.ts";

/** The options of the command line. */
export interface CommandLine {
  readonly gateway: string;
  readonly provider?: readonly string[];
  readonly allow?: readonly EndpointKind[];
  readonly tool?: readonly string[];
  readonly confirm: ConfirmOption;
  readonly segment?: Segments;
}

/** The path segments of the providers whose path segment at the gateway differs from the provider's id, by id. */
export type Segments = Readonly<Record<string, string>>;

/** The environment variables for the token. */
export interface TokenEnvironment {
  readonly GATEWAY_TOKEN?: string | undefined;
  readonly GATEWAY_TOKEN_FILE?: string | undefined;
}

/** A valid configuration of the server. */
export interface Configuration {
  readonly gateway: Gateway;
  readonly tools: readonly EndpointTool[];
  readonly pages: ReferencePages;
  readonly confirm: ConfirmOption;
}

/** The kinds of endpoints that are tools without `--allow`: calls of these kinds change nothing and return no file. */
const DEFAULT_KINDS: readonly EndpointKind[] = ["lookup", "search", "quote"];
/**
 * Timeout of a call, in milliseconds. It is shorter than the usual 60 seconds of MCP clients, and longer than a
 * gateway's 45 seconds for a submission.
 */
const CALL_TIMEOUT_MS = 55_000;

/**
 * Creates the tools and the gateway's client from the options. Sends no request.
 * @param environment - contains the token
 * @param folder - the folder in which the search for provider packages starts
 * @throws ConfigurationError with all faults
 */
export async function configure(
  options: CommandLine,
  environment: TokenEnvironment,
  folder: string,
): Promise<Configuration> {
  const faults: string[] = [];
  const collectFaults = (error: unknown): null => {
    if (!(error instanceof ConfigurationError)) throw error;
    faults.push(...error.faults);
    return null;
  };
  const kinds = [...DEFAULT_KINDS, ...(options.allow ?? [])];
  const gateway = await connect(options, environment).catch(collectFaults);
  const providers = await loadProviders(folder, options.provider).catch(collectFaults);
  if (providers !== null) faults.push(...segmentFaults(options.segment ?? {}, providers));
  if (gateway === null || providers === null || faults.length > 0)
    throw new ConfigurationError(faults);
  const tools = createTools(providers, kinds, options.tool);
  const pages = createReferencePages(options.gateway);
  return { gateway, tools, pages, confirm: options.confirm };
}

async function connect(
  { gateway, segment }: CommandLine,
  environment: TokenEnvironment,
): Promise<Gateway> {
  const token = tokenSourceOf(environment);
  try {
    return createGateway({ baseUrl: gateway, token, timeout: CALL_TIMEOUT_MS, segments: segment });
  } catch (error) {
    if (!WrongOptions.isInstance(error)) throw error;
    throw new ConfigurationError(error.faults.map(withOptionName));
  }
}

/**
 * Returns the token of GATEWAY_TOKEN, or a function that reads the file of GATEWAY_TOKEN_FILE.
 * @throws ConfigurationError unless exactly one variable is set and the file can be read
 */
function tokenSourceOf({ GATEWAY_TOKEN, GATEWAY_TOKEN_FILE }: TokenEnvironment): TokenSource {
  const token = GATEWAY_TOKEN?.trim() ?? "";
  const file = GATEWAY_TOKEN_FILE?.trim() ?? "";
  if (token !== "" && file !== "")
    throw new ConfigurationError(["GATEWAY_TOKEN and GATEWAY_TOKEN_FILE are both set: unset one"]);
  if (file === "" && token === "")
    throw new ConfigurationError([
      "GATEWAY_TOKEN is not set: set it to the gateway's bearer token, or set GATEWAY_TOKEN_FILE to the name of a file with the token; there is no option for the token",
    ]);
  if (file === "") return token;
  if (!hasText(file))
    throw new ConfigurationError(["GATEWAY_TOKEN_FILE must name a readable file with a token"]);
  return tokenFile(file);
}

function hasText(file: string): boolean {
  try {
    return readFileSync(file, "utf8").trim() !== "";
  } catch {
    return false;
  }
}

/** Replaces the name of an option of core's client in a fault by the option's name on the command line. */
function withOptionName(fault: string): string {
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
    .map((id) => `--segment: ${id} is not one of the providers (${[...known].join(", ")})`);
}
