import type { Endpoint } from "./endpoint.ts";
import { kindPolicies, type Method } from "./kinds.ts";
import { outcomeFaults } from "./outcome-faults.ts";
import { pathParameters } from "./path.ts";

/** The version of the form that declarations have; a gateway and its providers must agree on it. */
export const contractVersion = 1;

/** A line of insurance as the specification names them. */
export type LineOfInsurance = "motor" | "travel" | "life" | "pension";

/** An insurer behind the gateway: who it is and what it offers. */
export interface Provider<Endpoints extends object = Readonly<Record<string, Endpoint>>> {
  readonly contract: typeof contractVersion;
  /** The path segment, `provider-a`, unless configuration puts the real one in its place. */
  readonly id: string;
  /** The name a person reads. */
  readonly name: string;
  readonly lines: readonly LineOfInsurance[];
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
  const faults = faultsOf(declaration.id, endpoints);
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

function faultsOf(id: string, endpoints: Readonly<Record<string, Endpoint>>): readonly string[] {
  const faults: string[] = [];
  if (!/^[a-z][a-z0-9-]*$/.test(id))
    faults.push(`the id ${id} must be lower-case letters, digits and dashes`);
  const places = new Map<string, string>();
  for (const [name, endpoint] of Object.entries(endpoints)) {
    if (!isEndpoint(endpoint)) {
      faults.push(`${name}: it is no endpoint`);
      continue;
    }
    // A parameter's name makes no other route.
    const place = `${endpoint.method} ${endpoint.path.replaceAll(/\{[^}]*\}/g, "{}")}`;
    const twin = places.get(place);
    if (twin !== undefined)
      faults.push(`${name} and ${twin} are both ${endpoint.method} ${endpoint.path}`);
    places.set(place, name);
    faults.push(...endpointFaults(id, endpoint, endpoints).map((fault) => `${name}: ${fault}`));
  }
  return faults;
}

function isEndpoint(value: unknown): value is Endpoint {
  return (
    typeof value === "object" &&
    value !== null &&
    "kind" in value &&
    Object.hasOwn(kindPolicies, String(value.kind))
  );
}

function endpointFaults(
  id: string,
  endpoint: Endpoint,
  siblings: Readonly<Record<string, Endpoint>>,
): readonly string[] {
  const faults: string[] = [];
  const methods: readonly Method[] = kindPolicies[endpoint.kind].methods;
  if (endpoint.provider !== id) faults.push(`it belongs to ${endpoint.provider}`);
  if (!methods.includes(endpoint.method))
    faults.push(`a ${endpoint.kind} cannot be ${endpoint.method}`);
  if (!/^(\/([A-Za-z0-9._~-]+|\{[A-Za-z][A-Za-z0-9]*\}))+$/.test(endpoint.path))
    faults.push(`the path ${endpoint.path} must be segments or {parameters}, beginning with /`);
  if (pathParameters(endpoint.path).length > 0 !== (endpoint.params !== undefined))
    faults.push("parameters in the path need `params`, and `params` needs parameters in the path");
  if (endpoint.method === "GET" && endpoint.body !== undefined) faults.push("a GET has no body");
  const statuses = Object.keys(endpoint.response).map(Number);
  if (endpoint.kind !== "document" && statuses.length === 0)
    faults.push("it declares no success status");
  if (statuses.some((status) => !(status >= 200 && status <= 299)))
    faults.push("`response` holds success statuses (200 to 299) only");
  return [...faults, ...outcomeFaults(endpoint, siblings)];
}
