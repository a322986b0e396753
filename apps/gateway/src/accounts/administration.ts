import type * as z from "zod";
import { type Expiry, expiriesOfConnection } from "../configuration/expiries.ts";
import type { ConnectionConfiguration, QuotasConfiguration } from "../configuration/file.ts";
import { faultsOf } from "../configuration/load.ts";
import { clearCredentials } from "../configuration/production.ts";
import { givenConnection, givenContent } from "../configuration/schema/connections.ts";
import type { ReadSecret } from "../configuration/secrets.ts";
import type { ConnectionChange, StoredConnection, StoredTerms } from "../store/connections.ts";
import type { Encryption } from "../store/encryption.ts";
import type { SubmissionStore } from "../store/store.ts";
import type { ConnectedProvider } from "./file-connections.ts";
import {
  checkContent,
  encryptContent,
  endsOf,
  type GivenContent,
  listConnections,
  storedQuotas,
} from "./stored-connections.ts";

/** Adds, changes and removes the connections of a store, for its operator. Secrets are never returned. */
export interface ConnectionAdministration {
  /** By id. */
  list(): Promise<readonly ListedConnection[]>;
  /** Who changed which connection, the newest first. */
  changes(limit: number): Promise<readonly ConnectionChange[]>;
  /**
   * Adds a connection.
   * @param given - `{ id, tenant: { issuer, name }, segment, credentials, settings, quotas }`; secrets are texts
   * @param by - who does it: the operator's name, or where the request came from
   * @throws ConnectionError
   */
  add(given: unknown, by: string): Promise<ListedConnection>;
  /**
   * Replaces what a connection uses, and its quotas where some are given: `{}` for none of its own.
   * @param given - `{ credentials, settings, quotas }`
   * @throws ConnectionError
   */
  rotate(id: string, given: unknown, by: string): Promise<void>;
  /**
   * Removes a connection; its id is never given again.
   * @throws ConnectionError
   */
  remove(id: string, by: string): Promise<void>;
}

/** A connection as the operator reads it. */
export interface ListedConnection {
  readonly id: string;
  readonly segment: string;
  readonly tenant: ConnectionConfiguration["tenant"];
  /** Its own quotas, which override those of all connections. */
  readonly quotas: QuotasConfiguration;
  /** When the first of its credentials and client certificates ends, an instant of RFC 3339; null when no end is known. */
  readonly expiresAt: string | null;
  /** Instants of RFC 3339. */
  readonly addedAt: string;
  readonly changedAt: string;
}

/** Why a change was not made: what was given is wrong, there is no such connection, or it is taken or in use. */
export type ConnectionFault = "invalid" | "not_found" | "conflict";

/** A change of a connection that was not made. It contains no value that was given. */
export class ConnectionError extends Error {
  readonly fault: ConnectionFault;
  readonly details: readonly string[];

  constructor(fault: ConnectionFault, details: readonly string[]) {
    super(details.join("\n"));
    this.fault = fault;
    this.details = details;
  }
}

/** What connections are administered with. */
export interface AdministrationParts {
  readonly store: SubmissionStore;
  readonly encryption: Encryption;
  readonly installed: readonly ConnectedProvider[];
  /** The issuers whose tokens are accepted. */
  readonly issuers: readonly string[];
  readonly readSecret: ReadSecret;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Whether what is unsafe in production is refused. */
  readonly isProduction: boolean;
  /** Called after each change, which is in the store then. */
  readonly changed: (change: ConnectionChange) => void;
}

/** Makes the administration of a store's connections. */
export function createAdministration(parts: AdministrationParts): ConnectionAdministration {
  const { changed, encryption, issuers, now, store } = parts;
  return {
    changes: (limit) => store.connectionChanges(limit),
    async list() {
      const all = await listConnections(store);
      return all.map(listed).toSorted((one, other) => (one.id < other.id ? -1 : 1));
    },
    async add(given, by) {
      const connection = parsed(givenConnection, given);
      const { id, segment, tenant } = connection;
      if (!issuers.includes(tenant.issuer))
        throw new ConnectionError("invalid", [
          "tenant.issuer: is none of the issuers of the configuration",
        ]);
      const ends = checkedEnds(parts, segment, connection);
      const content = encryptContent(encryption, id, connection);
      const at = now();
      const place = { id, segment, issuer: tenant.issuer, tenant: tenant.name };
      const terms = { ...place, ...quotasOf(connection.quotas ?? {}), ...ends };
      const added = await store.addConnection({ ...terms, ...content }, { at, by });
      if (added === "id_taken")
        throw new ConnectionError("conflict", ["id: another connection has it, or had it before"]);
      if (added === "tenant_taken")
        throw new ConnectionError("conflict", ["tenant: has another connection to this provider"]);
      changed({ at, by, connection: id, action: "added" });
      return listed({ ...terms, addedAt: at, changedAt: at });
    },
    async rotate(id, given, by) {
      const content = parsed(givenContent, given);
      const stored = await store.connectionContent(id);
      if (stored === null) throw notFound(id);
      const quotas = content.quotas === undefined ? null : quotasOf(content.quotas);
      const rotated = {
        ...encryptContent(encryption, id, content),
        ...checkedEnds(parts, stored.segment, content),
        quotas,
      };
      const at = now();
      if (!(await store.rotateConnection(id, rotated, { at, by }))) throw notFound(id);
      changed({ at, by, connection: id, action: "rotated" });
    },
    async remove(id, by) {
      const at = now();
      const removed = await store.removeConnection(id, { at, by });
      if (removed === "not_found") throw notFound(id);
      if (removed === "in_use")
        throw new ConnectionError("conflict", [
          `${id}: submissions that it sent have no outcome yet; only its credentials can find out`,
        ]);
      changed({ at, by, connection: id, action: "removed" });
    },
  };
}

function listed(stored: Omit<StoredConnection, "removed" | "revision">): ListedConnection {
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
  throw new ConnectionError("invalid", result.error.issues.flatMap(faultsOf));
}

/** Checks what a connection is to use, and reads when it ends. */
function checkedEnds(
  { installed, isProduction, readSecret }: AdministrationParts,
  segment: string,
  content: GivenContent,
): Pick<StoredTerms, "certificateEndsAt" | "credentialsEndAt"> {
  const provider = installed.find((one) => one.segment === segment);
  if (provider === undefined)
    throw new ConnectionError("invalid", [
      "segment: is no segment of a provider of the configuration",
    ]);
  const faults = isProduction ? [...clearCredentials(content)] : [];
  const read = checkContent(content, provider, readSecret, (path, message) =>
    faults.push(`${path}: ${message}`),
  );
  if (faults.length > 0) throw new ConnectionError("invalid", faults);
  const ends = expiriesOfConnection(segment, content.credentials, read);
  const firstOf = (what: Expiry["what"]): number | null => {
    const of = ends.filter((end) => end.what === what).map(({ at }) => at);
    return of.length === 0 ? null : Math.min(...of);
  };
  return {
    credentialsEndAt: firstOf("credentials"),
    certificateEndsAt: firstOf("client_certificate"),
  };
}

function notFound(id: string): ConnectionError {
  return new ConnectionError("not_found", [`${id}: there is no such connection`]);
}
