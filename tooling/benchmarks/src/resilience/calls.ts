import { listBrands } from "@insurance-gateway/provider-a/examples";
import { listCountries } from "@insurance-gateway/provider-b/examples";
import { listVehicleUsages } from "@insurance-gateway/provider-c/examples";
import { searchApplications } from "@insurance-gateway/provider-d/examples";
import { calculatePensionQuote } from "@insurance-gateway/provider-e/examples";
import { specificationRequests } from "@insurance-gateway/specification";
import type { LoadCall } from "../load/plan.ts";

/** The five providers. */
export type ProviderName = "provider-a" | "provider-b" | "provider-c" | "provider-d" | "provider-e";

/** One endpoint of each provider, none of which changes anything, and the JSON that its insurer answers. */
export const called: readonly {
  readonly provider: ProviderName;
  readonly endpoint: string;
  readonly answer: string;
}[] = [
  { provider: "provider-a", endpoint: "listBrands", answer: first(listBrands) },
  { provider: "provider-b", endpoint: "listCountries", answer: first(listCountries) },
  { provider: "provider-c", endpoint: "listVehicleUsages", answer: first(listVehicleUsages) },
  { provider: "provider-d", endpoint: "searchApplications", answer: first(searchApplications) },
  {
    provider: "provider-e",
    endpoint: "calculatePensionQuote",
    answer: first(calculatePensionQuote),
  },
];

/** The call of a provider's endpoint, as the specification has it. */
export function callOf(provider: ProviderName, token: string): LoadCall {
  const endpoint = called.find((one) => one.provider === provider)?.endpoint;
  const request = specificationRequests().find(
    (one) => one.provider === provider && one.endpoint === endpoint,
  );
  if (request === undefined) throw new TypeError(`The specification has no call of ${provider}`);
  const query = new URLSearchParams(
    Object.entries(request.query ?? {}).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]),
  );
  return {
    name: provider,
    method: request.method,
    path: `/${provider}${request.path}${query.size === 0 ? "" : `?${query.toString()}`}`,
    headers: {
      authorization: `Bearer ${token}`,
      ...(request.body === undefined ? {} : { "content-type": "application/json" }),
    },
    body: request.body === undefined ? null : JSON.stringify(request.body),
  };
}

function first(examples: Readonly<Record<string, { readonly response?: unknown }>>): string {
  return JSON.stringify(Object.values(examples)[0]?.response);
}
