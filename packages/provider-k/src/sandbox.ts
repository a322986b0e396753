import { type AnySandbox, defineSandbox } from "@insurance-gateway/adapter/sandbox";
import { providerK } from "./provider.ts";
import * as handlers from "./sandbox/handlers/index.ts";

/** The simulated insurer behind Provider K. */
export const sandbox: AnySandbox = defineSandbox<typeof providerK>({
  provider: providerK,
  seed: [],
  scenarios: [],
  handlers,
});
