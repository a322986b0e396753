import { type AnySandbox, defineSandbox } from "@insurance-gateway/adapter/sandbox";
import { providerO } from "./provider.ts";
import * as handlers from "./sandbox/handlers/index.ts";

/** The simulated insurer behind Provider O. */
export const sandbox: AnySandbox = defineSandbox<typeof providerO>({
  provider: providerO,
  seed: [],
  scenarios: [],
  handlers,
});
