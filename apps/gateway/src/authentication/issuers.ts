import { createTransport } from "@insurance-gateway/core/transport";
import type { Logger } from "pino";
import { ConfigurationError } from "../configuration/configuration-error.ts";
import type { Configuration, Environment } from "../configuration/load.ts";
import type { Time } from "../time.ts";
import { openDevelopmentIssuer } from "./development-issuer.ts";
import type { Issuer } from "./issuer.ts";
import { createKeySet } from "./key-set.ts";

/** The issuers of a gateway, with the connections that their keys are fetched on. */
export interface Issuers {
  readonly all: readonly Issuer[];
  close(): Promise<void>;
}

/** What issuers are opened with. */
export interface IssuersParts {
  readonly time: Time;
  readonly logger: Pick<Logger, "warn">;
}

/**
 * The issuers of a configuration; without any, the development issuer.
 * @throws ConfigurationError when that would be in production
 */
export async function openIssuers(
  configuration: Configuration,
  environment: Environment,
  { logger, time }: IssuersParts,
): Promise<Issuers> {
  if (configuration.issuers.length === 0) {
    refuseInProduction(configuration, environment);
    return { all: [await openDevelopmentIssuer(configuration.data)], close: async () => {} };
  }
  const origins = configuration.issuers.map(({ jwksUri }) => new URL(jwksUri).origin);
  const transport = createTransport({ origins });
  const all = configuration.issuers.map(({ jwksUri, ...issuer }) => ({
    ...issuer,
    findKey: createKeySet({
      url: jwksUri,
      transport,
      time,
      fetchFailed: (error) =>
        logger.warn({ issuer: issuer.issuer, failure: String(error) }, "issuer's keys not fetched"),
    }),
  }));
  return { all, close: () => transport.close() };
}

/** Anyone who can run a command beside the gateway can have a development token. */
export function refuseInProduction(configuration: Configuration, environment: Environment): void {
  if (environment.NODE_ENV !== "production") return;
  throw new ConfigurationError(configuration.source, [
    "issuers: without any, tokens are those of the development issuer, which NODE_ENV=production refuses; add your issuer",
  ]);
}
