import { ConfigurationError } from "../configuration/configuration-error.ts";
import type { Configuration, Environment } from "../configuration/load.ts";
import { createSecretReader } from "../configuration/secrets.ts";
import type { Encryption } from "../submissions/encryption.ts";
import type { Time } from "../time.ts";
import { type ConnectionAdministration, createAdministration } from "./administration.ts";
import {
  type ConnectedProvider,
  type ConnectionSource,
  configuredConnections,
} from "./configured.ts";
import { storedConnections } from "./stored.ts";
import { createTenants, type Tenants } from "./tenants.ts";

/** The connections of a gateway. */
export interface Connections {
  readonly source: ConnectionSource;
  readonly tenants: Tenants;
  /** How they are changed over HTTP; null where they are not. */
  readonly administered: AdministeredConnections | null;
}

/** Connections that are changed over HTTP. */
export interface AdministeredConnections {
  /** What a request shows as its bearer token, read again for each. */
  readonly token: () => string;
  /** Null while the store cannot be reached. */
  readonly administration: () => ConnectionAdministration | null;
}

/** What connections are opened with. */
export interface ConnectionsParts {
  readonly configuration: Configuration;
  readonly environment: Environment;
  readonly installed: readonly ConnectedProvider[];
  /** The issuers whose tokens are accepted. */
  readonly issuers: readonly string[];
  readonly encryption: Encryption;
  readonly time: Pick<Time, "now">;
  /** Called for a connection with other credentials or settings, and for one that was removed. */
  readonly changed: (segment: string, id: string) => void;
}

/**
 * Opens the connections of a configuration, in its file or in the store.
 * @throws ConfigurationError when the token that administers them cannot be used
 */
export function openConnections(parts: ConnectionsParts): Connections {
  const { changed, configuration, encryption, environment, installed, issuers, time } = parts;
  const { claim, keptIn } = configuration.connections;
  const token = readToken(configuration, environment);
  if (keptIn === "file") {
    const source = configuredConnections(configuration, environment, installed);
    return { source, tenants: createTenants(claim, source.find), administered: null };
  }
  const place = { environment, folder: configuration.folder };
  const source = storedConnections({ installed, encryption, place, changed });
  const administration = (): ConnectionAdministration | null => {
    const store = source.store();
    if (store === null) return null;
    const now = (): number => time.now();
    return createAdministration({ store, encryption, installed, issuers, place, now });
  };
  return {
    source,
    tenants: createTenants(claim, source.find),
    administered: token === null ? null : { token, administration },
  };
}

function readToken(
  { connections, folder, operations, source }: Configuration,
  environment: Environment,
): (() => string) | null {
  const { connectionsToken } = operations;
  if (connectionsToken === undefined) return null;
  const faults: string[] = [];
  const fault = (path: string, message: string): void => {
    faults.push(`${path}: ${message}`);
  };
  const path = "operations.connectionsToken";
  const token = createSecretReader(environment, folder, fault).again(connectionsToken, path);
  if (connections.keptIn === "file")
    fault(
      path,
      "is for connections in the store; connections.keptIn says that they are in the file",
    );
  if (faults.length > 0) throw new ConfigurationError(source, faults);
  return token;
}
