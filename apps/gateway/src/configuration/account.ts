import type { InsurerCredential } from "./insurer-credentials.ts";
import type { InsurerSettings } from "./insurer-settings.ts";

/**
 * The account of each provider that uses the provider's own credentials and settings. Without `accounts.claim` all
 * calls use it; with it, only the reconciliation of what it sent before.
 */
export const defaultAccount = "default";

/** A business that uses the gateway: two issuers with the same name are two tenants. */
export interface Tenant {
  /** The exact `iss` of its tokens. */
  readonly issuer: string;
  /** The value of the claim that `accounts.claim` names. */
  readonly name: string;
}

/** One tenant's account at one insurer. */
export interface Account {
  /** Unique among all accounts of the gateway. */
  readonly id: string;
  /** The provider's path segment. */
  readonly segment: string;
  readonly tenant: Tenant;
}

/** The content of an account that the gateway uses when it calls the insurer. */
export interface AccountContent {
  /** Null for those of the provider: a simulated insurer has its own. */
  readonly credentials: readonly InsurerCredential[] | null;
  /** The provider's settings with the account's own over them; null for those of the provider. */
  readonly settings: InsurerSettings | null;
}

/** Reads what an account uses; null when there is no such account. */
export type ReadAccount = (segment: string, id: string) => Promise<AccountContent | null>;
