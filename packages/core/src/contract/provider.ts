import { isSchema } from "./body.ts";
import type { Endpoint } from "./endpoint.ts";
import { endpointFaults } from "./endpoint-faults.ts";
import { failureFaults } from "./failure-faults.ts";
import type { FailureRow } from "./failures.ts";
import { kindPolicies } from "./kinds.ts";
import type { OpenEnum } from "./open-enum.ts";
import { outcomeFaults } from "./outcome-faults.ts";
import { pagingFaults } from "./paging-faults.ts";
import { isOneRoute } from "./routes.ts";
import type { Schema } from "./schema.ts";

/** The version of the form that declarations have; a gateway and its providers must agree on it. */
export const contractVersion = 2;

/** A line of insurance; the list is open. */
export type LineOfInsurance = OpenEnum<
  | "motor"
  | "travel"
  | "life"
  | "pension"
  | "home"
  | "health"
  | "liability"
  | "marine"
  | "legal"
  | "pet"
  | "business"
>;

/** An insurer behind the gateway: who it is and what it offers. */
export interface Provider<Endpoints extends object = Readonly<Record<string, Endpoint>>> {
  readonly contract: typeof contractVersion;
  /** The path segment, `provider-a`, unless configuration puts the real one in its place. */
  readonly id: string;
  /** The name a person reads. */
  readonly name: string;
  readonly lines: readonly LineOfInsurance[];
  /** What the operator configures for it, such as a tenant or an agent's code; no caller ever sends or sees it. */
  readonly settings?: Schema<unknown>;
  /** What the insurer's refusals mean, after the rows of each endpoint. */
  readonly failures?: readonly FailureRow[];
  /** Its endpoints by name. */
  readonly endpoints: Endpoints;
}

/**
 * Declares a provider.
 * @throws TypeError when a declaration contradicts itself: every fault is listed
 */
export function defineProvider<Endpoints extends object>(
  declaration: Omit<Provider<Endpoints>, "contract">,
): Provider<Endpoints> {
  // A declaration's values are endpoints; a wrong one is among the faults below.
  const endpoints = { ...declaration.endpoints } as Readonly<Record<string, Endpoint>>;
  const faults = faultsOf(declaration, endpoints);
  if (faults.length > 0)
    throw new TypeError(`The declaration of ${declaration.id} is wrong:\n- ${faults.join("\n- ")}`);
  return Object.freeze({
    contract: contractVersion,
    ...declaration,
    endpoints: Object.freeze({ ...declaration.endpoints }),
  });
}

/** Whether something that a package exports is a provider, of this contract version or of another. */
export function isProvider(value: unknown): value is Provider {
  return typeof value === "object" && value !== null && "contract" in value && "endpoints" in value;
}

function faultsOf(
  { failures, id, settings }: Omit<Provider<object>, "contract">,
  endpoints: Readonly<Record<string, Endpoint>>,
): readonly string[] {
  const faults: string[] = [];
  if (!/^[a-z][a-z0-9-]*$/.test(id))
    faults.push(`the id ${id} must be lower-case letters, digits and dashes`);
  // Without types, a package may give anything.
  if (settings !== undefined && !isSchema(Object(settings)))
    faults.push("`settings` must be a schema");
  const earlier: [name: string, endpoint: Endpoint][] = [];
  for (const [name, endpoint] of Object.entries(endpoints)) {
    if (!isEndpoint(endpoint)) {
      faults.push(`${name}: it is no endpoint`);
      continue;
    }
    for (const [twin, other] of earlier)
      if (isOneRoute(endpoint, other)) faults.push(clash(name, endpoint, twin, other));
    earlier.push([name, endpoint]);
    const own = endpoint.provider === id ? [] : [`it belongs to ${endpoint.provider}`];
    const { actsAtInsurer } = kindPolicies[endpoint.kind];
    faults.push(
      ...[
        ...own,
        ...endpointFaults(endpoint),
        ...pagingFaults(endpoint),
        ...outcomeFaults(endpoint, endpoints),
        ...failureFaults(endpoint.failures ?? [], [actsAtInsurer]),
      ].map((fault) => `${name}: ${fault}`),
    );
  }
  const acting = new Set(earlier.map(([, { kind }]) => kindPolicies[kind].actsAtInsurer));
  return [...faults, ...failureFaults(failures ?? [], [...acting])];
}

function clash(name: string, endpoint: Endpoint, twin: string, other: Endpoint): string {
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
