import type { FetchResult } from "@insurance-gateway/core/auth";
import type { InstalledProvider } from "../configuration/providers.ts";
import { defaultConnection } from "../connections/connection.ts";
import { type OpenedCredentials, openCredentials } from "../insurer-credentials/open.ts";
import { createRetries } from "../resilience/retries.ts";
import type { InsurerConnection } from "./attempt.ts";
import { stoppingSubmissions } from "./credentials-gate.ts";
import { createGuardedAttempt, type GuardedAttemptParts } from "./guarded-attempt.ts";
import type { OpenConnection } from "./open-connections.ts";
import { createRepeatedCall, type RepeatedCall } from "./repeated-call.ts";
import type { UpstreamParts } from "./upstream.ts";

/** One connection to an insurer while it is in use. */
export interface OpenInsurerConnection extends OpenConnection {
  readonly id: string;
  readonly credentials: OpenedCredentials;
  readonly call: RepeatedCall;
  /** Whether the insurer, or its token server, refuses its credentials now. */
  isRefused(): boolean;
}

/** What a connection is opened with. */
export interface OpenConnectionParts
  extends Pick<UpstreamParts, "logger" | "now" | "observation" | "recovered"> {
  readonly id: string;
  readonly installed: InstalledProvider;
  /** What all connections of the insurer share. */
  readonly guarded: Omit<GuardedAttemptParts, "credentials" | "settings">;
}

/** Opens a connection: its credentials, its retries and its gate for submissions. Nothing of it is another connection's. */
export function openConnection(
  insurer: InsurerConnection,
  { guarded, id, installed, logger, now, observation, recovered }: OpenConnectionParts,
): OpenInsurerConnection {
  const { provider, segment, settings } = installed;
  const names = {
    provider: provider.id,
    segment,
    ...(id === defaultConnection ? {} : { connection: id }),
  };
  let isRefusedByInsurer = false;
  let lastFetch: FetchResult = "fetched";
  const credentials = openCredentials({
    insurer,
    now,
    fetched(result) {
      observation.tokenFetched({ segment }, result);
      if (result !== "fetched")
        logger.warn({ ...names, reason: result }, "an insurer's token cannot be fetched");
      else if (lastFetch !== "fetched") recovered(segment, id);
      lastFetch = result;
    },
  });
  const attempt = createGuardedAttempt({ ...guarded, credentials, settings: insurer.settings });
  const repeated = createRepeatedCall(attempt, createRetries(settings.retries), settings.timeouts);
  const isRefused = (): boolean => isRefusedByInsurer || lastFetch === "refused";
  return {
    id,
    credentials,
    call: stoppingSubmissions(repeated, {
      provider,
      now,
      refused() {
        isRefusedByInsurer = true;
        logger.warn(names, "an insurer refuses the credentials of a connection");
      },
      recovered() {
        isRefusedByInsurer = false;
        logger.info(names, "an insurer takes the credentials of a connection again");
        recovered(segment, id);
      },
    }),
    isRefused,
    // The next submission would learn it anew, with an unknown outcome.
    isNeeded: isRefused,
    close: () => credentials.close(),
  };
}
