import { ConfigurationError } from "../configuration/configuration-error.ts";
import { diskFiles } from "../configuration/files.ts";
import type { Configuration, Environment } from "../configuration/load.ts";
import { isProduction } from "../configuration/production.ts";
import { createReadSecret } from "../configuration/secrets.ts";
import type { Settings } from "../configuration/settings.ts";
import type { Logger } from "../operator/logging/logger.ts";
import type { Encryption } from "../store/encryption.ts";
import type { SubmissionStore } from "../store/store.ts";
import type { Time } from "../time.ts";
import { type ConnectionAdministration, createAdministration } from "./administration.ts";
import { type ConnectionSource, configuredConnections } from "./file-connections.ts";
import { everyId, storedConnections } from "./stored-connections.ts";
import { createTenants, type Tenants } from "./tenants.ts";

/** The connections of a gateway. */
export interface Connections {
  readonly source: ConnectionSource;
  readonly tenants: Tenants;
  /** How they are changed over HTTP; null where they are in the file. */
  readonly administered: AdministeredConnections | null;
}

/** Connections that are changed over HTTP. */
export interface AdministeredConnections {
  /** The bearer token that a request must have now; null where the routes are not served. */
  readonly token: () => string | null;
  /** Null while the store cannot be reached. */
  readonly administration: () => ConnectionAdministration | null;
}

/** What connections are opened with. */
export interface ConnectionsParts {
  /** The settings that count now. */
  readonly settings: () => Settings;
  readonly environment: Environment;
  /** The issuers whose tokens are accepted now. */
  readonly issuers: () => readonly string[];
  readonly encryption: Encryption;
  readonly time: Pick<Time, "now">;
  /** Called for a connection of the store with other credentials or settings, and for one that was removed. */
  readonly changed: (segment: string, id: string) => void;
  readonly logger: Logger;
}

/**
 * Refuses a connection of the file whose id is, or was, that of one in the store: submissions name who sent them by it.
 * @throws ConfigurationError
 */
async function refuseInBoth(
  { connections, source }: Configuration,
  store: SubmissionStore,
): Promise<void> {
  const known = await everyId(store);
  const faults = connections.list.flatMap(({ id }, index) =>
    known.has(id)
      ? [
          `connections.list[${index}].id: "${id}" is, or was, the id of a connection in the store; give this one another id`,
        ]
      : [],
  );
  if (faults.length > 0) throw new ConfigurationError(source, faults);
}

/** Opens the connections of a configuration, in its file or in the store. */
export function openConnections(parts: ConnectionsParts): Connections {
  const { changed, encryption, environment, issuers, logger, settings, time } = parts;
  const { connections, folder } = settings().configuration;
  const { claim, keptIn } = connections;
  if (keptIn === "file") {
    const source: ConnectionSource = {
      ...configuredConnections(settings),
      opened: (store) => refuseInBoth(settings().configuration, store),
    };
    return { source, tenants: createTenants(claim, source.find), administered: null };
  }
  const readSecret = createReadSecret(environment, folder, diskFiles);
  const installed = (): Settings["installed"] => settings().installed;
  const source = storedConnections({ installed, encryption, readSecret, changed });
  const administration = (): ConnectionAdministration | null => {
    const store = source.store();
    if (store === null) return null;
    return createAdministration({
      store,
      encryption,
      installed: installed(),
      issuers: issuers(),
      readSecret,
      now: () => time.now(),
      isProduction: isProduction(environment),
      changed: ({ action, by, connection }) =>
        logger.info({ action, by, connection }, "a connection was changed"),
    });
  };
  return {
    source,
    tenants: createTenants(claim, source.find),
    administered: { token: () => settings().connectionsToken, administration },
  };
}
