import { isSchema } from "./body.ts";
import { echoFaults } from "./echoes.ts";
import type { Endpoint } from "./endpoint.ts";
import { endpointFaults } from "./endpoint-faults.ts";
import { failureFaults } from "./failure-faults.ts";
import type { FailureRow } from "./failures.ts";
import { actsAtInsurer, kindPolicies } from "./kinds.ts";
import { outcomeFaults } from "./outcome-faults.ts";
import { pagingFaults } from "./paging-faults.ts";
import type { Provider } from "./provider.ts";
import { areAmbiguous } from "./routes.ts";

/**
 * Finds contradictions in a provider's declaration, and declarations that cannot work over HTTP. A provider with such
 * faults is neither served nor released.
 * @returns each fault as one line with the name of its endpoint
 */
export function providerFaults({
  endpoints,
  failures,
  id,
  settings,
}: Provider<object>): readonly string[] {
  const faults: string[] = [];
  if (!/^[a-z][a-z0-9-]*$/.test(id))
    faults.push(`the id ${id} must be lower-case letters, digits and dashes`);
  // A package that was built without types may export any value.
  if (settings !== undefined && !isSchema(Object(settings)))
    faults.push("`settings` must be a schema");
  const earlier: [name: string, endpoint: Endpoint][] = [];
  // The values should be endpoints. Any other value is reported as a fault.
  const declared = { ...endpoints } as Readonly<Record<string, Endpoint>>;
  for (const [name, endpoint] of Object.entries(declared)) {
    if (!isEndpoint(endpoint)) {
      faults.push(`${name}: it must be an endpoint`);
      continue;
    }
    for (const [twin, other] of earlier)
      if (areAmbiguous(endpoint, other)) faults.push(ambiguityFault(name, endpoint, twin, other));
    earlier.push([name, endpoint]);
    const providerMismatch =
      endpoint.provider === id ? [] : [`its \`provider\` must be ${id}, not ${endpoint.provider}`];
    faults.push(
      ...[
        ...providerMismatch,
        ...endpointFaults(endpoint),
        ...pagingFaults(endpoint),
        ...echoFaults(endpoint),
        ...outcomeFaults(endpoint, declared),
        ...failureFaults(endpoint.failures ?? [], [actsAtInsurer(endpoint)]),
      ].map((fault) => `${name}: ${fault}`),
    );
  }
  const served = Object.fromEntries(earlier);
  return [...faults, ...rowFaults({ endpoints: served }, failures ?? [])];
}

/**
 * Finds faults in rows of `failures` that apply to all endpoints of a provider. The provider, its adapter or an
 * operator declares the rows.
 */
export function rowFaults(
  { endpoints }: Pick<Provider<object>, "endpoints">,
  rows: readonly FailureRow[],
): readonly string[] {
  const declared = Object.values<Endpoint>({ ...endpoints });
  const acting = declared.map(actsAtInsurer);
  return failureFaults(rows, [...new Set(acting)]);
}

function ambiguityFault(name: string, endpoint: Endpoint, twin: string, other: Endpoint): string {
  const { method, path } = endpoint;
  return path === other.path
    ? `${name} and ${twin} are both ${method} ${path}`
    : `${name} and ${twin} match the same requests: ${method} ${path} and ${method} ${other.path}`;
}

function isEndpoint(value: unknown): value is Endpoint {
  return (
    typeof value === "object" &&
    value !== null &&
    "kind" in value &&
    Object.hasOwn(kindPolicies, String(value.kind))
  );
}
