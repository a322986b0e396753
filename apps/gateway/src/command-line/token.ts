import { openDevelopmentIssuer } from "../authentication/development-issuer.ts";
import { ConfigurationError } from "../configuration/configuration-error.ts";
import { loadConfiguration } from "../configuration/load.ts";
import { refuseUnsafe } from "../configuration/production.ts";
import { print } from "./output/print.ts";

/** What the command line says about the token. */
export interface TokenOptions {
  readonly subject: string;
  readonly scope: string;
  readonly expiresIn: number;
}

/** Prints a token of the development issuer, and nothing else. */
export async function token(options: TokenOptions): Promise<void> {
  const configuration = loadConfiguration(process.env, process.cwd());
  if (configuration.issuers.length > 0)
    throw new ConfigurationError(configuration.source, [
      "issuers: tokens come from your issuer; the development issuer is used only without any",
    ]);
  refuseUnsafe(configuration, process.env);
  const issuer = await openDevelopmentIssuer(configuration.data);
  const signed = await issuer.sign({
    subject: options.subject,
    scope: options.scope,
    expiresInSeconds: options.expiresIn,
  });
  await print(signed);
}
