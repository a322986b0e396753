import { createTransport } from "@insurance-gateway/core/transport";
import type { Configuration } from "../configuration/load.ts";
import type { Logger } from "../logging/logger.ts";
import type { Observation } from "../observation/observation.ts";
import type { Time } from "../time.ts";
import { type DevelopmentIssuer, openDevelopmentIssuer } from "./development-issuer.ts";
import type { Issuer } from "./issuer.ts";
import { createKeySet } from "./key-set.ts";

/** The issuers of a gateway, with the connections that their keys are fetched on. */
export interface Issuers {
  readonly all: readonly Issuer[];
  /** The development issuer where it is the only one, else null. */
  readonly development: DevelopmentIssuer | null;
  close(): Promise<void>;
}

/** What issuers are opened with. */
export interface IssuersParts {
  readonly time: Time;
  readonly logger: Pick<Logger, "warn">;
  readonly observation: Pick<Observation, "issuerKeyRefused" | "issuerKeysFailed">;
}

/** The issuers of a configuration; without any, the development issuer, which `refuseUnsafe` keeps out of production. */
export async function openIssuers(
  configuration: Configuration,
  { logger, observation, time }: IssuersParts,
): Promise<Issuers> {
  if (configuration.issuers.length === 0) {
    const development = await openDevelopmentIssuer(configuration.data);
    return { all: [development], development, close: async () => {} };
  }
  const origins = configuration.issuers.map(({ jwksUri }) => new URL(jwksUri).origin);
  const transport = createTransport({ origins });
  const all = configuration.issuers.map(({ jwksUri, ...issuer }) => ({
    ...issuer,
    scopesRequired: issuer.scopesRequired ?? false,
    ...createKeySet({
      url: jwksUri,
      transport,
      time,
      fetchFailed: ({ fault }) => {
        observation.issuerKeysFailed(issuer.issuer);
        logger.warn({ issuer: issuer.issuer, reason: fault }, "an issuer's keys cannot be fetched");
      },
      keyRefused: (fault) => {
        observation.issuerKeyRefused(issuer.issuer, fault);
        logger.warn({ issuer: issuer.issuer, reason: fault }, "a key of an issuer is too weak");
      },
    }),
  }));
  return { all, development: null, close: () => transport.close() };
}
