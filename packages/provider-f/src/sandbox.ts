import { type AnySandbox, defineSandbox } from "@insurance-gateway/adapter/sandbox";
import { providerF } from "./provider.ts";
import * as handlers from "./sandbox/handlers/index.ts";

/** The simulated insurer behind Provider F. */
export const sandbox: AnySandbox = defineSandbox<typeof providerF>({
  provider: providerF,
  seed: [],
  scenarios: [],
  handlers,
});
