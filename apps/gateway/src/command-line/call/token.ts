import { openDevelopmentIssuer } from "../../authentication/development-issuer.ts";
import type { Configuration, Environment } from "../../configuration/load.ts";
import { refuseUnsafe } from "../../configuration/production.ts";
import { developmentToken } from "../development-token.ts";

/** Long enough for one request; each gets a token of its own. */
const EXPIRES_IN_SECONDS = 300;

/**
 * The token that calls are made with: that of GATEWAY_TOKEN or, where the configuration has the development issuer,
 * one of its. It is never an argument, which would stand in the list of processes.
 * @returns null when there is none
 * @throws ConfigurationError where the development issuer refuses to run
 */
export async function tokenSource(
  configuration: Configuration,
  environment: Environment,
): Promise<string | (() => Promise<string>) | null> {
  const given = environment.GATEWAY_TOKEN ?? "";
  if (given !== "") return given;
  if (configuration.issuers.length > 0) return null;
  refuseUnsafe(configuration, environment);
  const issuer = await openDevelopmentIssuer(configuration.data);
  return () => issuer.sign({ ...developmentToken, expiresInSeconds: EXPIRES_IN_SECONDS });
}
