import { type AnySandbox, defineSandbox } from "@insurance-gateway/adapter/sandbox";
import { providerR } from "./provider.ts";
import * as handlers from "./sandbox/handlers/index.ts";

/** The simulated insurer behind Provider R. */
export const sandbox: AnySandbox = defineSandbox<typeof providerR>({
  provider: providerR,
  seed: [],
  scenarios: [],
  handlers,
});
