import type { Endpoint } from "./endpoint.ts";
import type { FailureRow } from "./failures.ts";
import type { OpenEnum } from "./open-enum.ts";
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
 * Declares a provider. An application bundles this, so that it checks nothing: `providerFaults` finds declarations that
 * contradict themselves, where packages are tested, documented and loaded.
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

/** Whether something that a package exports is a provider, of this contract version or of another. */
export function isProvider(value: unknown): value is Provider {
  return typeof value === "object" && value !== null && "contract" in value && "endpoints" in value;
}
