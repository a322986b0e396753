import type { Endpoint } from "./endpoint.ts";
import type { FailureRow } from "./failures.ts";
import type { OpenEnum, Schema } from "./schema.ts";

/** The version of the declaration format. A gateway and its providers must have the same version. */
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

/** An insurer behind the gateway with its endpoints. */
export interface Provider<Endpoints extends object = Readonly<Record<string, Endpoint>>> {
  readonly contract: typeof contractVersion;
  /** The path segment, such as `provider-a`, unless the configuration sets another segment. */
  readonly id: string;
  /** The name for people: `Provider A`. */
  readonly name: string;
  readonly lines: readonly LineOfInsurance[];
  /** The schema of the operator's settings, such as a tenant or an agent's code. Clients never send or see them. */
  readonly settings?: Schema<unknown>;
  /** The meanings of the insurer's error answers that no row of an endpoint interprets. */
  readonly failures?: readonly FailureRow[];
  /** The endpoints by name. */
  readonly endpoints: Endpoints;
}

/**
 * Declares a provider without any check, because applications bundle this function. `providerFaults` checks a
 * provider when its package is tested, documented and loaded.
 */
export function defineProvider<Endpoints extends object>(
  declaration: Omit<Provider<Endpoints>, "contract">,
): Provider<Endpoints> {
  return Object.freeze({
    contract: contractVersion,
    ...declaration,
    endpoints: Object.freeze({ ...declaration.endpoints }),
  });
}

/** Reports whether an export of a package is a provider, of this or another contract version. */
export function isProvider(value: unknown): value is Provider {
  return typeof value === "object" && value !== null && "contract" in value && "endpoints" in value;
}
