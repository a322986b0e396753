import type { Configuration } from "../configuration/load.ts";
import { retentionOf } from "../configuration/submissions.ts";
import type { Logger } from "../logging/logger.ts";
import type { PlacedRoute } from "../routing/route-table.ts";
import type { SubmissionStore } from "../store/store.ts";
import type { Time } from "../time.ts";
import type { Encryption } from "./encryption.ts";
import { openStoreSecret } from "./store-secret.ts";
import {
  endpointFinder,
  type Submissions,
  startSubmissions,
  submissionSegments,
} from "./submissions.ts";

/** What submissions are started with. */
export interface SubmissionsOnStore {
  readonly configuration: Configuration;
  readonly openStore: () => Promise<SubmissionStore>;
  readonly encryption: Encryption;
  readonly routes: readonly PlacedRoute[];
  readonly time: Time;
  readonly logger: Logger;
}

/**
 * Opens the store and starts the submissions of a configuration on it.
 * @throws StoreUnavailableError, StoreRefusedError, ConfigurationError
 */
export async function submissionsOnStore(parts: SubmissionsOnStore): Promise<Submissions> {
  const { configuration, logger, encryption, time } = parts;
  const routes = parts.routes.map(({ route }) => route);
  const store = await parts.openStore();
  try {
    const secret = await openStoreSecret(store, encryption, configuration.source);
    // Where nobody else is at it, what is in flight belongs to a process that has died.
    if (!store.shared) await store.expireLeases(Number.MAX_SAFE_INTEGER, time.now());
    return startSubmissions({
      store,
      secret,
      encryption,
      retention: retentionOf(configuration),
      basePath: configuration.listen.basePath,
      findEndpoint: endpointFinder(routes),
      segments: submissionSegments(routes),
      time,
      logger,
    });
  } catch (error) {
    await store.close();
    throw error;
  }
}
