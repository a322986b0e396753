import type { Endpoint, EndpointKind } from "@insurance-gateway/core/contract";
import { type InstalledProvider, loadDeclared } from "@insurance-gateway/gateway/folder";
import type { Command } from "commander";
import { inputFieldsOf } from "./call/input-fields.ts";
import { chooseProviders } from "./declarations.ts";
import { print } from "./output/print.ts";
import { safeJson } from "./output/safe-text.ts";
import { plainTable } from "./output/table.ts";

/** The options of the command that lists. */
export interface RoutesOptions {
  readonly kind?: EndpointKind;
  readonly search?: string;
  readonly json?: boolean;
}

/** What the list says of a route. */
interface ListedRoute {
  readonly provider: string;
  readonly endpoint: string;
  readonly kind: EndpointKind;
  readonly method: string;
  /** With the configured segment, parameters in braces. */
  readonly path: string;
  readonly parameters: readonly ListedParameter[];
  /** The statuses of its successes. */
  readonly statuses: readonly number[];
}

/** One value of the path, the query or the body. */
interface ListedParameter {
  readonly in: "path" | "query" | "header" | "body";
  /** Nested names joined with dots: `policy.startDate`; `body` for one that is no object. */
  readonly name: string;
  readonly required: boolean;
}

/**
 * Prints the routes of the configured providers.
 * @param name - only those of this provider, by its segment or id
 * @param command - refuses a name that no provider has
 */
export async function listRoutes(
  name: string | undefined,
  options: RoutesOptions,
  command: Command,
): Promise<void> {
  const { configuration, installed } = await loadDeclared(process.env, process.cwd());
  const chosen = name === undefined ? installed : chooseProviders(installed, name, command);
  const routes = chosen
    .flatMap((provider) => routesOf(provider, configuration.listen.basePath))
    .filter((route) => isWanted(route, options));
  await print(options.json === true ? safeJson(routes) : tableOf(routes));
}

function routesOf(
  { provider, segment }: InstalledProvider,
  basePath: string,
): readonly ListedRoute[] {
  return Object.entries(provider.endpoints).map(([name, endpoint]) => ({
    provider: provider.id,
    endpoint: name,
    kind: endpoint.kind,
    method: endpoint.method,
    path: `${basePath}/${segment}${endpoint.path}`,
    parameters: inputFieldsOf(endpoint).map(({ keys, place, required }) => ({
      in: place,
      name: keys.join(".") || place,
      required,
    })),
    statuses: statusesOf(endpoint),
  }));
}

/** A document declares no schema of its success, which is 200. */
function statusesOf({ kind, response }: Endpoint): readonly number[] {
  return kind === "document" ? [200] : Object.keys(response).map(Number);
}

function isWanted(route: ListedRoute, { kind, search = "" }: RoutesOptions): boolean {
  const text = [route.provider, ...cellsOf(route)].join(" ").toLowerCase();
  return (kind === undefined || route.kind === kind) && text.includes(search.toLowerCase());
}

function tableOf(routes: readonly ListedRoute[]): string {
  if (routes.length === 0) return "No route matches.";
  const head = ["method", "path", "kind", "endpoint", "status", "parameters"];
  return plainTable(head, routes.map(cellsOf)).text;
}

function cellsOf({
  endpoint,
  kind,
  method,
  parameters,
  path,
  statuses,
}: ListedRoute): readonly string[] {
  const names = parameters.map(({ name, required }) => `${name}${required ? "*" : ""}`);
  return [method, path, kind, endpoint, statuses.join(", "), names.join(", ") || "-"];
}
