import { createRemoteJWKSet } from "jose";
import { ConfigurationError } from "../configuration/configuration-error.ts";
import type { Configuration, Environment } from "../configuration/load.ts";
import type { Issuer } from "./authenticate.ts";
import { openDevelopmentIssuer } from "./development-issuer.ts";

/**
 * The issuers of a configuration; without any, the development issuer.
 * @throws ConfigurationError when that would be in production
 */
export async function openIssuers(
  configuration: Configuration,
  environment: Environment,
): Promise<readonly Issuer[]> {
  if (configuration.issuers.length > 0)
    return configuration.issuers.map(({ issuer, audience, algorithms, jwksUri }) => ({
      issuer,
      audience,
      algorithms,
      keys: createRemoteJWKSet(new URL(jwksUri)),
    }));
  refuseInProduction(configuration, environment);
  return [await openDevelopmentIssuer(configuration.data)];
}

/** Anyone who can run a command beside the gateway can have a development token. */
export function refuseInProduction(configuration: Configuration, environment: Environment): void {
  if (environment.NODE_ENV !== "production") return;
  throw new ConfigurationError(configuration.source, [
    "issuers: without any, tokens are those of the development issuer, which NODE_ENV=production refuses; add your issuer",
  ]);
}
