import { openDevelopmentIssuer } from "../callers/development-issuer.ts";
import { ConfigurationError } from "../configuration/configuration-error.ts";
import { loadConfiguration } from "../configuration/load.ts";
import { refuseUnsafe } from "../configuration/production.ts";
import { print } from "./output/print.ts";

/** What the command line says about the token. */
export interface TokenOptions {
  readonly subject: string;
  readonly scope: string;
  readonly expiresIn: number;
  /** The tenant that it names, in the configured claim. */
  readonly tenant?: string;
}

/** Prints a token of the development issuer, and nothing else. */
export async function token(options: TokenOptions): Promise<void> {
  const configuration = loadConfiguration(process.env, process.cwd());
  if (configuration.issuers.length > 0)
    throw new ConfigurationError(configuration.source, [
      "issuers: tokens come from your issuer; the development issuer is used only without any",
    ]);
  const { claim } = configuration.accounts;
  if (options.tenant !== undefined && claim === undefined)
    throw new ConfigurationError(configuration.source, [
      "accounts.claim: is not set, so that no token names a tenant",
    ]);
  await refuseUnsafe(configuration, process.env);
  const issuer = await openDevelopmentIssuer(configuration.data);
  const signed = await issuer.sign({
    subject: options.subject,
    scope: options.scope,
    expiresInSeconds: options.expiresIn,
    ...(claim === undefined || options.tenant === undefined
      ? {}
      : { claims: { [claim]: options.tenant } }),
  });
  await print(signed);
}
