import type { Caller } from "../callers/caller.ts";
import { Refusal } from "../problems/refusal.ts";
import { type Connection, defaultConnection } from "./connection.ts";

/** Finds the connection that a caller's requests use. */
export interface Tenants {
  /** The id of the caller's connection to a provider's segment; null when it has none. */
  find(caller: Caller, segment: string): string | null;
  /**
   * The same.
   * @throws Refusal FORBIDDEN when it has none
   */
  connectionOf(caller: Caller, segment: string): string;
  /** Whether a connection is the caller's, also where its segment is not served any more. */
  owns(caller: Caller, connection: string): boolean;
  /**
   * Checks that the caller's tenant has a connection to any provider.
   * @throws Refusal FORBIDDEN when it has none
   */
  admit(caller: Caller): void;
}

/** Finds the connections of a tenant. */
export type FindConnections = (issuer: string, name: string) => readonly TenantConnection[];

/** One connection of a known tenant. */
export type TenantConnection = Pick<Connection, "id" | "segment">;

/**
 * Creates the search for a caller's connections.
 * @param claim - the claim of a token that names the tenant; undefined where every caller uses the default connection
 */
export function createTenants(
  claim: string | undefined,
  findConnections: FindConnections,
): Tenants {
  if (claim === undefined)
    return {
      find: () => defaultConnection,
      connectionOf: () => defaultConnection,
      owns: (_, connection) => connection === defaultConnection,
      admit: () => {},
    };
  const connectionsOf = ({ issuer, tenant }: Caller): readonly TenantConnection[] =>
    tenant === null ? [] : findConnections(issuer, tenant);
  const find: Tenants["find"] = (caller, segment) =>
    connectionsOf(caller).find((connection) => connection.segment === segment)?.id ?? null;
  return {
    find,
    connectionOf(caller, segment) {
      const id = find(caller, segment);
      if (id === null) throw noConnection(caller);
      return id;
    },
    owns: (caller, connection) => connectionsOf(caller).some(({ id }) => id === connection),
    admit(caller) {
      if (connectionsOf(caller).length === 0) throw noConnection(caller);
    },
  };
}

function noConnection({ tenant }: Caller): Refusal {
  return new Refusal("FORBIDDEN", {
    detail:
      tenant === null
        ? "The token does not name a tenant: the claim that the gateway's operator configured must be one text."
        : "The tenant that the token names has no connection here. The gateway's operator adds connections.",
    reason: tenant === null ? "no_tenant" : "unknown_tenant",
  });
}

/** A connection that was removed after its request was admitted: nothing was sent. */
export function connectionRemoved(): Refusal {
  return new Refusal("PROVIDER_UNAVAILABLE", {
    detail: "The connection of your tenant was removed; nothing was sent.",
    outcome: "not_sent",
    retry: "never",
    reason: "no_connection",
  });
}

/** Connections by tenant, in memory: 10,000 of them take a few megabytes. */
export interface ConnectionIndex {
  readonly find: FindConnections;
  add(connection: Connection): void;
  remove(connection: Connection): void;
}

/** Creates an empty index. It copies what it needs and stores the text of each segment once. */
export function createConnectionIndex(): ConnectionIndex {
  const issuers = new Map<string, Map<string, readonly TenantConnection[]>>();
  const segments = new Map<string, string>();
  const find: FindConnections = (issuer, name) => issuers.get(issuer)?.get(name) ?? [];
  return {
    find,
    add({ id, segment: given, tenant: { issuer, name } }) {
      const segment = segments.get(given) ?? given;
      segments.set(segment, segment);
      const names = issuers.get(issuer) ?? new Map<string, readonly TenantConnection[]>();
      issuers.set(issuer, names);
      names.set(name, [...(names.get(name) ?? []), { id, segment }]);
    },
    remove({ id, tenant: { issuer, name } }) {
      const left = find(issuer, name).filter((one) => one.id !== id);
      if (left.length === 0) issuers.get(issuer)?.delete(name);
      else issuers.get(issuer)?.set(name, left);
    },
  };
}
