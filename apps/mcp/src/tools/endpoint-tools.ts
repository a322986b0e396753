import type { Endpoint, Provider } from "@insurance-gateway/core/contract";
import { type EndpointKind, kindPolicies, parameterOrigins } from "@insurance-gateway/core/runtime";
import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import type { SearchHint } from "../calls/answers.ts";
import { ConfigurationError } from "../configuration/configuration-error.ts";
import type { InstalledProvider } from "../configuration/providers.ts";
import type { ReferenceText } from "../configuration/reference-texts.ts";
import { argumentsSchema, type ConfirmedBy, jsonSchemaOf, needsFile } from "./arguments.ts";
import {
  annotationsOf,
  confirmationMeanings,
  kindMeanings,
  pagedSearchMeaning,
} from "./descriptions.ts";

/** An endpoint that is offered as a tool. */
export interface EndpointTool {
  /** The tool's name: `provider-d_createApplication`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly provider: Provider;
  /** The endpoint's name among the endpoints of its provider. */
  readonly endpointName: string;
  readonly endpoint: Endpoint;
  /** Descriptions of input fields by JSON Pointer. */
  readonly fieldDescriptions: ReadonlyMap<string, string>;
  /** The search that shows the result of a submission; null if the server does not offer this search. */
  readonly search: SearchHint | null;
}

/** Matches tool names that every MCP client accepts. The protocol also allows dots and 128 characters (SEP-986). */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Creates a tool for each endpoint of the given kinds, except endpoints that need a file.
 * @param patterns - patterns of tool names, in which `*` matches any characters; by default all tools
 * @throws ConfigurationError if clients would refuse a tool's name, if a pattern matches no tool, or if no endpoint
 * has one of the kinds
 */
export function createTools(
  providers: readonly InstalledProvider[],
  kinds: readonly EndpointKind[],
  patterns: readonly string[] = ["*"],
): readonly EndpointTool[] {
  const expressions = patterns.map(patternExpression);
  const all = providers.flatMap(({ provider, texts }) =>
    Object.entries(provider.endpoints)
      .filter(([, endpoint]) => kinds.includes(endpoint.kind) && !needsFile(endpoint))
      .map(([name, endpoint]) => createTool(provider, name, endpoint, texts.get(name))),
  );
  const tools = all.filter(({ name }) => expressions.some((expression) => expression.test(name)));
  const faults = tools
    .filter(({ name }) => !TOOL_NAME.test(name))
    .map(({ name }) => `${name} is not a valid tool name: use at most 64 letters, digits, _ and -`);
  if (all.length === 0)
    faults.push(`no provider has an endpoint of the kinds ${kinds.join(", ")}; --allow adds kinds`);
  else
    for (const [index, expression] of expressions.entries())
      if (!all.some(({ name }) => expression.test(name)))
        faults.push(
          `--tool: pattern ${index + 1} matches no tool; --allow adds kinds, and no tool sends a file`,
        );
  if (faults.length > 0) throw new ConfigurationError(faults);
  const names = new Set(tools.map(({ name }) => name));
  return tools.map((tool) =>
    names.has(tool.search?.tool ?? "") ? tool : { ...tool, search: null },
  );
}

function patternExpression(pattern: string): RegExp {
  const parts = pattern.split("*").map((part) => part.replace(/[^A-Za-z0-9_-]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`);
}

/** Returns the description of a tool for the list of tools in the MCP protocol. */
export function listedTool(tool: EndpointTool, confirmedBy: ConfirmedBy): Tool {
  const { description, endpoint, fieldDescriptions, name, title } = tool;
  const acts = kindPolicies[endpoint.kind].actsAtInsurer;
  return {
    name,
    title,
    description: acts ? `${description}\n${confirmationMeanings[confirmedBy]}` : description,
    inputSchema: jsonSchemaOf(argumentsSchema(endpoint, confirmedBy), fieldDescriptions),
    annotations: annotationsOf(endpoint.kind),
  };
}

function createTool(
  provider: Provider,
  endpointName: string,
  endpoint: Endpoint,
  text: ReferenceText | undefined,
): EndpointTool {
  const { kind, method, path } = endpoint;
  const summary = text?.summary ?? nameInWords(endpointName);
  const operation = `${provider.name} (${provider.lines.join(", ")} insurance), ${kind}, ${method} ${path}.`;
  const meaning =
    endpoint.paging === undefined ? kindMeanings[kind] : pagedSearchMeaning(endpoint.paging);
  const sentences = [withFullStop(summary), text?.description ?? null, operation, meaning];
  return {
    name: `${provider.id}_${endpointName}`,
    title: `${provider.name}: ${summary.replace(/\.$/, "")}`,
    description: sentences.filter((sentence) => sentence !== null).join("\n"),
    provider,
    endpointName,
    endpoint,
    fieldDescriptions: text?.fields ?? new Map(),
    search: searchHint(provider, endpoint),
  };
}

/** Returns the declared search with JSON Pointers into the arguments of the submission's tool. */
function searchHint({ id }: Provider, endpoint: Endpoint): SearchHint | null {
  const { reconcile } = endpoint;
  if (reconcile === undefined) return null;
  const parameters = parameterOrigins(endpoint).map(({ from, name, pathParameter }) => {
    const pointer = pathParameter === null ? `/body${from}` : `/params/${pathParameter}`;
    return [name, { from: pointer }] as const;
  });
  return { tool: `${id}_${reconcile.endpoint}`, parameters: Object.fromEntries(parameters) };
}

/** Converts `searchApplications` to "Search applications". */
function nameInWords(name: string): string {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function withFullStop(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
