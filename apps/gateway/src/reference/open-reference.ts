import type { ScenarioOnPage } from "@insurance-gateway/reference";
import type { Issuers } from "../authentication/issuers.ts";
import type { Configuration } from "../configuration/load.ts";
import type { InstalledProvider } from "../configuration/providers.ts";
import { undeclaredProviders } from "../configuration/undeclared-providers.ts";
import type { Insurers } from "../insurers.ts";
import { catalogueOf } from "./catalogue.ts";
import { createDevelopmentToken, newStartSecret } from "./development-token.ts";
import { limitLines } from "./limit-lines.ts";
import { createReference, type Reference } from "./reference.ts";

/** What the reference is opened with. */
export interface OpenReferenceParts {
  readonly configuration: Configuration;
  readonly installed: readonly InstalledProvider[];
  readonly issuers: Pick<Issuers, "development">;
  readonly insurers: Pick<Insurers, "scenarios">;
  /** The address that is listened on, once it is known. */
  readonly listening: () => string;
}

/** The reference, and what its printed address ends with. */
export interface OpenedReference extends Reference {
  /** With the secret that its button for a development token needs, where there is such a button; else empty. */
  readonly fragment: string;
}

/** Opens the reference of a configuration; null where it is not to be served. */
export async function openReference(parts: OpenReferenceParts): Promise<OpenedReference | null> {
  const { configuration, installed, insurers, issuers, listening } = parts;
  const { listen, reference } = configuration;
  if (!reference.served) return null;
  const providers = catalogueOf(installed, await undeclaredProviders(configuration));
  // Behind a load balancer every caller seems to be on this machine.
  const offered = listen.trustedProxies.length === 0 ? issuers.development : null;
  const secret = newStartSecret();
  const served = createReference({
    basePath: listen.basePath,
    developmentToken: offered === null ? null : createDevelopmentToken(offered, secret),
    source: () => ({
      providers,
      scenarios: (insurers.scenarios ?? []).map(scenarioOnPage),
      address: reference.address ?? listening(),
      basePath: listen.basePath,
      developmentToken: offered !== null,
      limits: limitLines(configuration),
    }),
  });
  // A browser sends no fragment, so the secret reaches no log and no proxy.
  return { ...served, fragment: offered === null ? "" : `#start=${secret}` };
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
