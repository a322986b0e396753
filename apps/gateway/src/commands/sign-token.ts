import { openDevelopmentIssuer } from "../callers/development-issuer.ts";
import { ConfigurationError } from "../configuration/configuration-error.ts";
import { loadConfiguration } from "../configuration/load.ts";
import { refuseUnsafeSettings } from "../configuration/production.ts";

export { openDevelopmentIssuer };

/** The options of a development token. */
export interface TokenOptions {
  readonly subject: string;
  readonly scope: string;
  readonly expiresIn: number;
  /** The tenant that the token names, in the configured claim. */
  readonly tenant?: string;
}

/**
 * Signs a token of the development issuer.
 * @throws ConfigurationError if another issuer is configured
 */
export async function signDevelopmentToken(options: TokenOptions): Promise<string> {
  const configuration = loadConfiguration(process.env, process.cwd());
  if (configuration.issuers.length > 0)
    throw new ConfigurationError(configuration.source, [
      "issuers: tokens come from your issuer; the development issuer works only if none is configured",
    ]);
  const { claim } = configuration.accounts;
  if (options.tenant !== undefined && claim === undefined)
    throw new ConfigurationError(configuration.source, [
      "accounts.claim: must be set so that tokens can name a tenant",
    ]);
  await refuseUnsafeSettings(configuration, process.env);
  const issuer = await openDevelopmentIssuer(configuration.data);
  return issuer.sign({
    subject: options.subject,
    scope: options.scope,
    expiresInSeconds: options.expiresIn,
    ...(claim === undefined || options.tenant === undefined
      ? {}
      : { claims: { [claim]: options.tenant } }),
  });
}
