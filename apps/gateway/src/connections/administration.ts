import type * as z from "zod";
import type { ConnectionConfiguration } from "../configuration/file.ts";
import { faultsOf } from "../configuration/load.ts";
import { givenConnection, givenContent } from "../configuration/schema/connections.ts";
import type { ReadSecret } from "../configuration/secrets.ts";
import type { SubmissionStore } from "../store/store.ts";
import type { Encryption } from "../submissions/encryption.ts";
import type { ConnectedProvider } from "./configured.ts";
import { checkContent, encryptContent, type GivenContent } from "./stored.ts";

/** Adds, changes and removes the connections of a store, for its operator. No secret is ever given back. */
export interface ConnectionAdministration {
  /** By id. */
  list(): Promise<readonly ListedConnection[]>;
  /**
   * Adds a connection.
   * @param given - `{ id, tenant: { issuer, name }, segment, credentials, settings }`; secrets are texts
   * @throws ConnectionError
   */
  add(given: unknown): Promise<ListedConnection>;
  /**
   * Replaces what a connection uses.
   * @param given - `{ credentials, settings }`
   * @throws ConnectionError
   */
  rotate(id: string, given: unknown): Promise<void>;
  /**
   * Removes a connection; its id is never given again.
   * @throws ConnectionError
   */
  remove(id: string): Promise<void>;
}

/** A connection as the operator reads it. */
export interface ListedConnection {
  readonly id: string;
  readonly segment: string;
  readonly tenant: ConnectionConfiguration["tenant"];
  /** Instants of RFC 3339. */
  readonly addedAt: string;
  readonly changedAt: string;
}

/** Why a change was not made: what was given is wrong, there is no such connection, or it is taken or in use. */
export type ConnectionFault = "invalid" | "not_found" | "conflict";

/** A change of a connection that was not made. It carries no value that was given. */
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
}

/** Makes the administration of a store's connections. */
export function createAdministration(parts: AdministrationParts): ConnectionAdministration {
  const { encryption, issuers, now, store } = parts;
  return {
    async list() {
      const all = await store.connectionsSince(0);
      return all
        .filter(({ removed }) => !removed)
        .map(({ addedAt, changedAt, id, issuer, segment, tenant }) =>
          listed({ id, segment, tenant: { issuer, name: tenant } }, addedAt, changedAt),
        )
        .toSorted((one, other) => (one.id < other.id ? -1 : 1));
    },
    async add(given) {
      const connection = parsed(givenConnection, given);
      const { id, segment, tenant } = connection;
      if (!issuers.includes(tenant.issuer))
        throw new ConnectionError("invalid", [
          "tenant.issuer: is none of the issuers of the configuration",
        ]);
      check(parts, segment, connection);
      const content = encryptContent(encryption, id, connection);
      const at = now();
      const place = { id, segment, issuer: tenant.issuer, tenant: tenant.name };
      const added = await store.addConnection({ ...place, ...content }, at);
      if (added === "id_taken")
        throw new ConnectionError("conflict", ["id: is, or was, another connection's"]);
      if (added === "tenant_taken")
        throw new ConnectionError("conflict", ["tenant: has another connection to this provider"]);
      return listed(connection, at, at);
    },
    async rotate(id, given) {
      const content = parsed(givenContent, given);
      const stored = await store.connectionContent(id);
      if (stored === null) throw notFound(id);
      check(parts, stored.segment, content);
      if (!(await store.rotateConnection(id, encryptContent(encryption, id, content), now())))
        throw notFound(id);
    },
    async remove(id) {
      const removed = await store.removeConnection(id, now());
      if (removed === "not_found") throw notFound(id);
      if (removed === "in_use")
        throw new ConnectionError("conflict", [
          `${id}: submissions that it sent have no outcome yet; only its credentials can find out`,
        ]);
    },
  };
}

function listed(
  { id, segment, tenant }: Pick<ConnectionConfiguration, "id" | "segment" | "tenant">,
  addedAt: number,
  changedAt: number,
): ListedConnection {
  return {
    id,
    segment,
    tenant,
    addedAt: new Date(addedAt).toISOString(),
    changedAt: new Date(changedAt).toISOString(),
  };
}

function parsed<Value>(schema: z.ZodType<Value>, given: unknown): Value {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw new ConnectionError("invalid", result.error.issues.flatMap(faultsOf));
}

function check(
  { installed, readSecret }: AdministrationParts,
  segment: string,
  content: GivenContent,
): void {
  const provider = installed.find((one) => one.segment === segment);
  if (provider === undefined)
    throw new ConnectionError("invalid", [
      "segment: is no segment of a provider of the configuration",
    ]);
  const faults: string[] = [];
  checkContent(content, provider, readSecret, (path, message) =>
    faults.push(`${path}: ${message}`),
  );
  if (faults.length > 0) throw new ConnectionError("invalid", faults);
}

function notFound(id: string): ConnectionError {
  return new ConnectionError("not_found", [`${id}: there is no such connection`]);
}
