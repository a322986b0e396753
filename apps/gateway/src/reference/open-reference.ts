import type { ScenarioOnPage } from "@insurance-gateway/reference";
import type { DevelopmentIssuer } from "../authentication/development-issuer.ts";
import type { Configuration } from "../configuration/load.ts";
import type { InstalledProvider } from "../configuration/providers.ts";
import { undeclaredProviders } from "../configuration/undeclared-providers.ts";
import type { Insurers } from "../insurers.ts";
import { failureOf } from "../logging/failure.ts";
import type { Logger } from "../logging/logger.ts";
import { catalogueOf } from "./catalogue.ts";
import { createDevelopmentToken, newStartSecret } from "./development-token.ts";
import { limitLines } from "./limit-lines.ts";
import { createReference, type Reference } from "./reference.ts";

/** What the reference is opened with. */
export interface OpenReferenceParts {
  readonly configuration: Configuration;
  readonly installed: readonly InstalledProvider[];
  readonly insurers: Pick<Insurers, "scenarios">;
  readonly logger: Logger;
  /** The address that is listened on, once it is known. */
  readonly listening: () => string;
}

/** The reference through every change of the settings. */
export interface OpenedReference {
  /** Serves the limits of a configuration; `development` is the issuer of its tokens, where there is one. */
  with(configuration: Configuration, development: DevelopmentIssuer | null): Reference;
  /** What the printed address ends with: the secret that the button for a development token needs, where there is such a button. */
  readonly fragment: () => string;
}

interface Served {
  /** What it was made of, beside what never changes. */
  readonly made: string;
  readonly reference: Reference;
  readonly fragment: string;
}

/** Opens the reference of a configuration; null where it is not to be served. */
export async function openReference(parts: OpenReferenceParts): Promise<OpenedReference | null> {
  const { configuration, installed, insurers, listening, logger } = parts;
  const { listen, reference } = configuration;
  if (!reference.served) return null;
  const undeclared = await undeclaredProviders(configuration);
  // The documents of large providers are large, and no call needs them: they are read with the first page.
  let catalogue: ReturnType<typeof catalogueOf> | undefined;
  const providers = (): ReturnType<typeof catalogueOf> =>
    (catalogue ??= catalogueOf(installed, undeclared, ({ id }, error) => {
      logger.warn(
        { provider: id, failure: failureOf(error) },
        "a provider's document cannot be shown",
      );
    }));
  const secret = newStartSecret();
  let served: Served | null = null;
  return {
    fragment: () => served?.fragment ?? "",
    with(settings, development) {
      // Behind a load balancer every caller seems to be on this machine.
      const offered = listen.trustedProxies.length === 0 ? development : null;
      const limits = limitLines(settings);
      const made = JSON.stringify([limits, offered !== null]);
      // Pages that were drawn are not drawn again for a reload that does not change them.
      if (served?.made === made) return served.reference;
      const own = createReference({
        basePath: listen.basePath,
        developmentToken: offered === null ? null : createDevelopmentToken(offered, secret),
        source: () => ({
          providers: providers(),
          scenarios: (insurers.scenarios ?? []).map(scenarioOnPage),
          address: reference.address ?? listening(),
          basePath: listen.basePath,
          developmentToken: offered !== null,
          limits,
        }),
      });
      // A browser sends no fragment, so the secret reaches no log and no proxy.
      served = { made, reference: own, fragment: offered === null ? "" : `#start=${secret}` };
      return own;
    },
  };
}

function scenarioOnPage({
  effect,
  endpoint,
  name,
  provider,
  when,
}: NonNullable<Insurers["scenarios"]>[number]): ScenarioOnPage {
  return {
    provider,
    name,
    endpoint,
    effect,
    when: when === null ? null : `\`${fieldOf(when.pointer)}\` is \`${String(when.equals)}\``,
  };
}

/** `/body/holder/afm` → `holder.afm`. */
function fieldOf(pointer: string): string {
  return pointer.split("/").slice(2).join(".");
}
