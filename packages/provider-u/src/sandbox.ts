import { type AnySandbox, defineSandbox } from "@insurance-gateway/adapter/sandbox";
import { providerU } from "./provider.ts";
import * as handlers from "./sandbox/handlers/index.ts";

/** The simulated insurer behind Provider U. */
export const sandbox: AnySandbox = defineSandbox<typeof providerU>({
  provider: providerU,
  seed: [],
  scenarios: [],
  handlers,
});
