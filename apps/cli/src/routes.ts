import type { Endpoint } from "@insurance-gateway/core/contract";
import type { EndpointKind } from "@insurance-gateway/core/runtime";
import { type InstalledProvider, loadDeclared } from "@insurance-gateway/gateway/folder";
import type { Command } from "commander";
import { inputFieldsOf } from "./call/input-fields.ts";
import { findProviders } from "./declarations.ts";
import { type Columns, printList } from "./output/list.ts";

/**
 * Prints the routes of the configured providers.
 * @param name - prints only the routes of the provider with this segment or ID
 * @param command - reports an unknown name of a provider
 */
export async function listRoutes(
  name: string | undefined,
  {
    json,
    kind,
    search = "",
  }: { readonly kind?: EndpointKind; readonly search?: string; readonly json?: boolean },
  command: Command,
): Promise<void> {
  const { configuration, installed } = await loadDeclared(process.env, process.cwd());
  const chosen = name === undefined ? installed : findProviders(installed, name, command);
  const isWanted = (route: ListedRoute): boolean => {
    const cells = [route.provider, ...Object.values(routeColumns).map((cellOf) => cellOf(route))];
    const text = cells.join(" ").toLowerCase();
    return (kind === undefined || route.kind === kind) && text.includes(search.toLowerCase());
  };
  const routes = chosen
    .flatMap((provider) => routesOf(provider, configuration.listen.basePath))
    .filter(isWanted);
  await printList(routes, { json, none: "No route matches.", columns: routeColumns });
}

type ListedRoute = ReturnType<typeof routesOf>[number];

const routeColumns: Columns<ListedRoute> = {
  method: ({ method }) => method,
  path: ({ path }) => path,
  kind: ({ kind }) => kind,
  endpoint: ({ endpoint }) => endpoint,
  status: ({ statuses }) => statuses.join(", "),
  parameters: ({ parameters }) =>
    parameters.map(({ name, required }) => `${name}${required ? "*" : ""}`).join(", "),
};

/** Returns the routes of a provider. The names of nested fields are joined with dots: `policy.startDate`. */
function routesOf({ provider, segment }: InstalledProvider, basePath: string) {
  return Object.entries(provider.endpoints).map(([name, endpoint]) => ({
    provider: provider.id,
    endpoint: name,
    kind: endpoint.kind,
    method: endpoint.method,
    path: `${basePath}/${segment}${endpoint.path}`,
    parameters: inputFieldsOf(endpoint).map(({ keys, place, required }) => ({
      in: place,
      // A body that is not an object has no field names.
      name: keys.join(".") || place,
      required,
    })),
    statuses: statusesOf(endpoint),
  }));
}

/**
 * Returns the success statuses of an endpoint. An endpoint of the kind `document` has no declared answer; its success
 * status is 200.
 */
function statusesOf({ kind, response }: Endpoint): readonly number[] {
  return kind === "document" ? [200] : Object.keys(response).map(Number);
}
