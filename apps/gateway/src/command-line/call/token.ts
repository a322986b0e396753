import { openDevelopmentIssuer } from "../../authentication/development-issuer.ts";
import type { Configuration, Environment } from "../../configuration/load.ts";
import { isOwnAddress } from "../address.ts";
import { developmentToken } from "../development-token.ts";

/** Long enough for one request; each gets a token of its own. */
const EXPIRES_IN_SECONDS = 300;

/**
 * The token that calls are made with: that of GATEWAY_TOKEN or, where the configuration has the development issuer
 * and the gateway is this machine's, one of its. It is never an argument, which would stand in the list of processes.
 * @param gateway - the address that the token goes to: whoever has one may do everything
 * @returns null when there is none
 */
export async function tokenSource(
  configuration: Configuration,
  environment: Environment,
  gateway: URL,
): Promise<string | (() => Promise<string>) | null> {
  const given = environment.GATEWAY_TOKEN ?? "";
  if (given !== "") return given;
  const isProduction = environment.NODE_ENV?.trim().toLowerCase() === "production";
  if (isProduction || configuration.issuers.length > 0) return null;
  if (!isOwnAddress(gateway, configuration)) return null;
  const issuer = await openDevelopmentIssuer(configuration.data);
  return () => issuer.sign({ ...developmentToken, expiresInSeconds: EXPIRES_IN_SECONDS });
}
