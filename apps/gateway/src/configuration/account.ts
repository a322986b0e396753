import type { InsurerCredential } from "./insurer-credentials.ts";
import type { InsurerSettings } from "./insurer-settings.ts";

/**
 * The id of the account with the provider's own credentials and settings. Without `accounts.claim`, all calls use this
 * account. Otherwise only the reconciliation of earlier submissions uses it.
 */
export const defaultAccount = "default";

/** A business that uses the gateway. The same name at two issuers means two tenants. */
export interface Tenant {
  /** The exact `iss` of the tenant's tokens. */
  readonly issuer: string;
  /** The tenant's value of the claim `accounts.claim`. */
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

/** The credentials and settings that the gateway uses for the account's calls. */
export interface AccountContent {
  /** The credentials; null for a simulated insurer, whose sandbox has the credentials. */
  readonly credentials: readonly InsurerCredential[] | null;
  /**
   * The provider's settings and the account's settings, which take precedence; null if the account has no settings.
   */
  readonly settings: InsurerSettings | null;
}

/** Reads an account's credentials and settings. Returns null if the account does not exist. */
export type ReadAccount = (segment: string, id: string) => Promise<AccountContent | null>;
