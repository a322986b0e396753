import type {
  Authorship,
  ConnectionAction,
  ConnectionChange,
  ConnectionTransactions,
  NewConnection,
  StoredConnection,
} from "../../src/store/connections.ts";
import type { StoredSecret } from "../../src/store/record.ts";
import type { SubmissionStore } from "../../src/store/store.ts";

type ConnectionMethods = {
  readonly [Name in keyof ConnectionTransactions]: (
    ...parameters: Parameters<SubmissionStore[Name]>
  ) => Awaited<ReturnType<SubmissionStore[Name]>>;
};

/** The connections of a store's model. */
export interface ConnectionsModel {
  readonly methods: ConnectionMethods;
  isRemoved(id: string): boolean;
  /** The keys that some connection is encrypted with. */
  keyIds(): readonly string[];
}

interface Row extends StoredConnection {
  readonly secret: StoredSecret | null;
}

/** Makes one without connections. */
export function createConnectionsModel(hasOpen: (connection: string) => boolean): ConnectionsModel {
  /** In the order in which they were added. */
  let rows: readonly Row[] = [];
  const find = (id: string): Row | undefined => rows.find((row) => row.id === id && !row.removed);
  const nextRevision = (): number => Math.max(0, ...rows.map(({ revision }) => revision)) + 1;
  const change = (id: string, changed: Partial<Row>): void => {
    rows = rows.map((row) => (row.id === id ? { ...row, ...changed } : row));
  };
  const encryptedOf = ({ id, secret, segment }: Row): readonly EncryptedRow[] =>
    secret === null ? [] : [{ id, segment, ...secret }];
  let changes: readonly ConnectionChange[] = [];
  const record = (connection: string, action: ConnectionAction, by: Authorship): void => {
    changes = [{ ...by, connection, action }, ...changes];
  };
  const methods: ConnectionMethods = {
    connectionChanges: (limit) => changes.slice(0, limit),
    addConnection({ encrypted, keyId, ...connection }: NewConnection, authorship) {
      const { at } = authorship;
      const { id, issuer, segment, tenant } = connection;
      if (rows.some((row) => row.id === id)) return "id_taken";
      const isTaken = (row: Row): boolean =>
        !row.removed && row.segment === segment && row.issuer === issuer && row.tenant === tenant;
      if (rows.some(isTaken)) return "tenant_taken";
      const times = { addedAt: at, changedAt: at, revision: nextRevision() };
      rows = [...rows, { ...connection, ...times, removed: false, secret: { encrypted, keyId } }];
      record(id, "added", authorship);
      return "added";
    },
    rotateConnection(id, { encrypted, keyId, quotas, ...ends }, authorship) {
      const { at } = authorship;
      if (find(id) === undefined) return false;
      const terms = { ...ends, ...quotas };
      const secret = { encrypted, keyId };
      change(id, { ...terms, secret, changedAt: at, revision: nextRevision() });
      record(id, "rotated", authorship);
      return true;
    },
    removeConnection(id, authorship) {
      const { at } = authorship;
      if (find(id) === undefined) return "not_found";
      if (hasOpen(id)) return "in_use";
      change(id, { removed: true, secret: null, changedAt: at, revision: nextRevision() });
      record(id, "removed", authorship);
      return "removed";
    },
    connectionsSince: (revision, limit) =>
      rows
        .filter((row) => row.revision > revision)
        .toSorted((one, other) => one.revision - other.revision)
        .slice(0, limit)
        .map(({ secret: _secret, ...row }) => row),
    connectionContent: (id) => [find(id) ?? []].flat().flatMap(encryptedOf)[0] ?? null,
    connectionsNotEncryptedWith: (keyId, limit) =>
      rows
        .flatMap(encryptedOf)
        .filter((row) => row.keyId !== keyId)
        .slice(0, limit),
    encryptConnectionAgain(id, secret, instead) {
      if (find(id)?.secret?.keyId === instead) change(id, { secret });
    },
  };
  return {
    methods,
    isRemoved: (id) => rows.some((row) => row.id === id && row.removed),
    keyIds: () => rows.flatMap(({ secret }) => (secret === null ? [] : [secret.keyId])),
  };
}

interface EncryptedRow extends StoredSecret {
  readonly id: string;
  readonly segment: string;
}
