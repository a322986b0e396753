import {
  type Endpoint,
  type EndpointKind,
  kindPolicies,
  type Provider,
  parameterOrigins,
} from "@insurance-gateway/core/contract";
import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import type { SearchHint } from "./answers.ts";
import { argumentsSchema, type ConfirmedBy, needsFile } from "./arguments.ts";
import { ConfigurationError } from "./configuration-error.ts";
import { jsonSchemaOf } from "./json-schema.ts";
import { annotationsOf, confirmationMeanings, kindMeanings, pagedMeaning } from "./kinds.ts";
import type { InstalledProvider } from "./providers.ts";
import type { ReferenceText } from "./reference-texts.ts";

/** An endpoint as a tool. */
export interface EndpointTool {
  /** `provider-d_createApplication`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly provider: Provider;
  /** The endpoint's name in its provider. */
  readonly endpointName: string;
  readonly endpoint: Endpoint;
  /** What is said of the fields of its input, by place. */
  readonly fields: ReadonlyMap<string, string>;
  /** Of a submission: the tool that shows what became of it, when that is offered. */
  readonly search: SearchHint | null;
}

/** Characters and length that every MCP client takes; the protocol itself allows dots and 128 characters (SEP-986). */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Makes a tool of every endpoint of these kinds.
 * @param patterns - the names that are wanted, where `*` stands for any characters; every name when left out
 * @throws ConfigurationError when a tool would have a name that clients refuse, when a pattern fits none, or when there is
 *   none
 */
export function toolsOf(
  providers: readonly InstalledProvider[],
  kinds: readonly EndpointKind[],
  patterns: readonly string[] = ["*"],
): readonly EndpointTool[] {
  const expressions = patterns.map(expressionOf);
  const all = providers.flatMap(({ provider, texts }) =>
    Object.entries(provider.endpoints)
      .filter(([, endpoint]) => kinds.includes(endpoint.kind) && !needsFile(endpoint))
      .map(([name, endpoint]) => toolOf(provider, name, endpoint, texts.get(name))),
  );
  const tools = all.filter(({ name }) => expressions.some((expression) => expression.test(name)));
  const faults = tools
    .filter(({ name }) => !TOOL_NAME.test(name))
    .map(({ name }) => `${name} is no name of a tool: letters, digits, _ and -, 64 at most`);
  if (all.length === 0)
    faults.push(`no provider has an endpoint of the kinds ${kinds.join(", ")}; --allow adds kinds`);
  else
    for (const [index, expression] of expressions.entries())
      if (!all.some(({ name }) => expression.test(name)))
        faults.push(
          `--tool: pattern ${index + 1} fits no tool; --allow adds kinds, and no tool sends a file`,
        );
  if (faults.length > 0) throw new ConfigurationError(faults);
  const names = new Set(tools.map(({ name }) => name));
  return tools.map((tool) =>
    names.has(tool.search?.tool ?? "") ? tool : { ...tool, search: null },
  );
}

function expressionOf(pattern: string): RegExp {
  const parts = pattern.split("*").map((part) => part.replace(/[^A-Za-z0-9_-]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`);
}

/** A tool as the protocol lists it. */
export function listedTool(tool: EndpointTool, confirmedBy: ConfirmedBy): Tool {
  const { description, endpoint, fields, name, title } = tool;
  const acts = kindPolicies[endpoint.kind].actsAtInsurer;
  return {
    name,
    title,
    description: acts ? `${description}\n${confirmationMeanings[confirmedBy]}` : description,
    inputSchema: jsonSchemaOf(argumentsSchema(endpoint, confirmedBy), fields),
    annotations: annotationsOf(endpoint.kind),
  };
}

function toolOf(
  provider: Provider,
  endpointName: string,
  endpoint: Endpoint,
  text: ReferenceText | undefined,
): EndpointTool {
  const { kind, method, path } = endpoint;
  const summary = text?.summary ?? sentenceOf(endpointName);
  const place = `${provider.name} (${provider.lines.join(", ")} insurance), ${kind}, ${method} ${path}.`;
  const meaning =
    endpoint.paging === undefined ? kindMeanings[kind] : pagedMeaning(endpoint.paging);
  const sentences = [asSentence(summary), text?.description ?? null, place, meaning];
  return {
    name: `${provider.id}_${endpointName}`,
    title: `${provider.name}: ${summary.replace(/\.$/, "")}`,
    description: sentences.filter((sentence) => sentence !== null).join("\n"),
    provider,
    endpointName,
    endpoint,
    fields: text?.fields ?? new Map(),
    search: searchOf(provider, endpoint),
  };
}

/** The declared search, with the places as the submission's tool has them. */
function searchOf({ id }: Provider, endpoint: Endpoint): SearchHint | null {
  const { reconcile } = endpoint;
  if (reconcile === undefined) return null;
  const parameters = parameterOrigins(endpoint).map(({ from, name, pathParameter }) => {
    const place = pathParameter === null ? `/body${from}` : `/params/${pathParameter}`;
    return [name, { from: place }] as const;
  });
  return { tool: `${id}_${reconcile.endpoint}`, parameters: Object.fromEntries(parameters) };
}

/** `searchApplications` in words: "Search applications". */
function sentenceOf(name: string): string {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
