import { type AnySandbox, defineSandbox } from "@insurance-gateway/adapter/sandbox";
import { providerJ } from "./provider.ts";
import * as handlers from "./sandbox/handlers/index.ts";

/** The simulated insurer behind Provider J. */
export const sandbox: AnySandbox = defineSandbox<typeof providerJ>({
  provider: providerJ,
  seed: [],
  scenarios: [],
  handlers,
});
