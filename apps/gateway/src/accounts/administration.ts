import type * as z from "zod";
import { type Expiry, expiriesOfAccount } from "../configuration/expiries.ts";
import type { AccountConfiguration, QuotasConfiguration } from "../configuration/file.ts";
import type { AccountProvider } from "../configuration/file-accounts.ts";
import { faultsOf } from "../configuration/load.ts";
import { clearCredentials } from "../configuration/production.ts";
import { givenAccount, givenContent } from "../configuration/schema/accounts.ts";
import type { ReadSecret } from "../configuration/secrets.ts";
import type { AccountChange, StoredAccount, StoredTerms } from "../store/account-rows.ts";
import type { Encryption } from "../store/encryption.ts";
import type { SubmissionStore } from "../store/store.ts";
import {
  checkContent,
  encryptContent,
  endsOf,
  type GivenContent,
  listAccounts,
  storedQuotas,
} from "./stored-accounts.ts";

/** Adds, changes and removes the accounts of a store, for its operator. Secrets are never returned. */
export interface AccountAdministration {
  /** By id. */
  list(): Promise<readonly ListedAccount[]>;
  /** Who changed which account, the newest first. */
  changes(limit: number): Promise<readonly AccountChange[]>;
  /**
   * Adds an account.
   * @param given - `{ id, tenant: { issuer, name }, segment, credentials, settings, quotas }`; secrets are texts
   * @param by - who does it: the operator's name, or where the request came from
   * @throws AccountError
   */
  add(given: unknown, by: string): Promise<ListedAccount>;
  /**
   * Replaces what an account uses, and its quotas where some are given: `{}` for none of its own.
   * @param given - `{ credentials, settings, quotas }`
   * @throws AccountError
   */
  rotate(id: string, given: unknown, by: string): Promise<void>;
  /**
   * Removes an account; its id is never given again.
   * @throws AccountError
   */
  remove(id: string, by: string): Promise<void>;
}

/** An account as the operator reads it. */
export interface ListedAccount {
  readonly id: string;
  readonly segment: string;
  readonly tenant: AccountConfiguration["tenant"];
  /** Its own quotas, which override those of all accounts. */
  readonly quotas: QuotasConfiguration;
  /** When the first of its credentials and client certificates ends, an instant of RFC 3339; null when no end is known. */
  readonly expiresAt: string | null;
  /** Instants of RFC 3339. */
  readonly addedAt: string;
  readonly changedAt: string;
}

/** Why a change was not made: what was given is wrong, there is no such account, or it is taken or in use. */
export type AccountFault = "invalid" | "not_found" | "conflict";

/** A change of an account that was not made. It contains no value that was given. */
export class AccountError extends Error {
  readonly fault: AccountFault;
  readonly details: readonly string[];

  constructor(fault: AccountFault, details: readonly string[]) {
    super(details.join("\n"));
    this.fault = fault;
    this.details = details;
  }
}

/** What accounts are administered with. */
export interface AdministrationParts {
  readonly store: SubmissionStore;
  readonly encryption: Encryption;
  readonly installed: readonly AccountProvider[];
  /** The issuers whose tokens are accepted. */
  readonly issuers: readonly string[];
  readonly readSecret: ReadSecret;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Whether what is unsafe in production is refused. */
  readonly isProduction: boolean;
  /** Called after each change, which is in the store then. */
  readonly changed: (change: AccountChange) => void;
}

/** Makes the administration of a store's accounts. */
export function createAdministration(parts: AdministrationParts): AccountAdministration {
  const { changed, encryption, issuers, now, store } = parts;
  return {
    changes: (limit) => store.accountChanges(limit),
    async list() {
      const all = await listAccounts(store);
      return all.map(listed).toSorted((one, other) => (one.id < other.id ? -1 : 1));
    },
    async add(given, by) {
      const account = parsed(givenAccount, given);
      const { id, segment, tenant } = account;
      if (!issuers.includes(tenant.issuer))
        throw new AccountError("invalid", [
          "tenant.issuer: is none of the issuers of the configuration",
        ]);
      const ends = checkedEnds(parts, segment, account);
      const content = encryptContent(encryption, id, account);
      const at = now();
      const place = { id, segment, issuer: tenant.issuer, tenant: tenant.name };
      const terms = { ...place, ...quotasOf(account.quotas ?? {}), ...ends };
      const added = await store.addAccount({ ...terms, ...content }, { at, by });
      if (added === "id_taken")
        throw new AccountError("conflict", ["id: another account has it, or had it before"]);
      if (added === "tenant_taken")
        throw new AccountError("conflict", ["tenant: has another account to this provider"]);
      changed({ at, by, account: id, action: "added" });
      return listed({ ...terms, addedAt: at, changedAt: at });
    },
    async rotate(id, given, by) {
      const content = parsed(givenContent, given);
      const stored = await store.accountContent(id);
      if (stored === null) throw notFound(id);
      const quotas = content.quotas === undefined ? null : quotasOf(content.quotas);
      const rotated = {
        ...encryptContent(encryption, id, content),
        ...checkedEnds(parts, stored.segment, content),
        quotas,
      };
      const at = now();
      if (!(await store.rotateAccount(id, rotated, { at, by }))) throw notFound(id);
      changed({ at, by, account: id, action: "rotated" });
    },
    async remove(id, by) {
      const at = now();
      const removed = await store.removeAccount(id, { at, by });
      if (removed === "not_found") throw notFound(id);
      if (removed === "in_use")
        throw new AccountError("conflict", [
          `${id}: submissions that it sent have no outcome yet; only its credentials can find out`,
        ]);
      changed({ at, by, account: id, action: "removed" });
    },
  };
}

function listed(stored: Omit<StoredAccount, "removed" | "revision">): ListedAccount {
  const { addedAt, changedAt, id, issuer, segment, tenant } = stored;
  const ends = endsOf(stored).map(({ at }) => at);
  return {
    id,
    segment,
    tenant: { issuer, name: tenant },
    quotas: storedQuotas(stored),
    expiresAt: ends.length === 0 ? null : new Date(Math.min(...ends)).toISOString(),
    addedAt: new Date(addedAt).toISOString(),
    changedAt: new Date(changedAt).toISOString(),
  };
}

function quotasOf({
  requestsPerDay,
  submissionsPerDay,
}: QuotasConfiguration): Pick<StoredTerms, "requestsPerDay" | "submissionsPerDay"> {
  return { requestsPerDay: requestsPerDay ?? null, submissionsPerDay: submissionsPerDay ?? null };
}

function parsed<Value>(schema: z.ZodType<Value>, given: unknown): Value {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw new AccountError("invalid", result.error.issues.flatMap(faultsOf));
}

/** Checks what an account is to use, and reads when it ends. */
function checkedEnds(
  { installed, isProduction, readSecret }: AdministrationParts,
  segment: string,
  content: GivenContent,
): Pick<StoredTerms, "certificateEndsAt" | "credentialsEndAt"> {
  const provider = installed.find((one) => one.segment === segment);
  if (provider === undefined)
    throw new AccountError("invalid", [
      "segment: is no segment of a provider of the configuration",
    ]);
  const faults = isProduction ? [...clearCredentials(content)] : [];
  const read = checkContent(content, provider, readSecret, (path, message) =>
    faults.push(`${path}: ${message}`),
  );
  if (faults.length > 0) throw new AccountError("invalid", faults);
  const ends = expiriesOfAccount(segment, content.credentials, read);
  const firstOf = (what: Expiry["what"]): number | null => {
    const of = ends.filter((end) => end.what === what).map(({ at }) => at);
    return of.length === 0 ? null : Math.min(...of);
  };
  return {
    credentialsEndAt: firstOf("credentials"),
    certificateEndsAt: firstOf("client_certificate"),
  };
}

function notFound(id: string): AccountError {
  return new AccountError("not_found", [`${id}: there is no such account`]);
}
