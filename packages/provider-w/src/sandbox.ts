import { type AnySandbox, defineSandbox } from "@insurance-gateway/adapter/sandbox";
import { providerW } from "./provider.ts";
import * as handlers from "./sandbox/handlers/index.ts";

/** The simulated insurer behind Provider W. */
export const sandbox: AnySandbox = defineSandbox<typeof providerW>({
  provider: providerW,
  seed: [],
  scenarios: [],
  handlers,
});
